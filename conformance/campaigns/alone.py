"""One case of a campaign, judged again alone: its seed and its number define it."""

from __future__ import annotations

from conformance.campaigns.families import Families
from conformance.campaigns.generate import SLOTS, generator_of
from conformance.codecs.run import run
from conformance.errors import ConformanceError
from conformance.results.lines import Verdict
from conformance.rules import catalogue
from conformance.testee_protocol import Target


class NoSuchCase(ConformanceError):
    """A text that names no case of a campaign, or a case that the target can't be asked."""


def case_again(
    case: str,
    target: Target,
    messages: tuple[str, ...] = (),
    versions: tuple[int, ...] = (),
    profile: str = "spec",
) -> list[Verdict]:
    """Return the verdicts of one case, made and judged as in its campaign. Raises NoSuchCase."""
    seed, _, number = case.partition("/")
    if not (seed.isdecimal() and number.isdecimal()):
        raise NoSuchCase(f"{case!r} is no case of a campaign", "SEED/NUMBER, as a finding has it")
    drawn = generator_of(int(seed), messages, versions).draw(int(number) // SLOTS)
    family = Families(target.hello, int(seed)).family(drawn)
    if family is None:
        name, version = drawn.source.form.message, drawn.source.form.version
        hint = "see its hello"
        raise NoSuchCase(f"the target has another form of {name} v{version}", hint)
    name = f"{int(seed)}/{int(number)}"
    return [each for each in run([family], target, catalogue(), profile) if each.case == name]
