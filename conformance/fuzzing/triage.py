"""The suspicions of a campaign, asked again of a fresh process, judged, shortened and merged.

Nothing is decided here: the oracles turn an input into a case, and the engine of the gate judges
it. A suspicion that no case confirms is kept, with its bytes, as unconfirmed; except for costs,
which are measured again without the load of a campaign, and for suspicions of an older campaign
alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import msgspec

from conformance.codecs.by_bytes import by_bytes
from conformance.codecs.cases.from_bytes import found_family
from conformance.codecs.run import run
from conformance.fuzzing.campaign import Suspected
from conformance.fuzzing.inputs import split
from conformance.fuzzing.shrinking import shrunk
from conformance.reporting.findings import Causes
from conformance.results.command_lines import input_line
from conformance.results.lines import BROKEN, Finding, Verdict
from conformance.rules import catalogue
from conformance.testee_protocol import Target

MOST_TRIES = 400
"""Inputs that are tried to make one shorter."""
COSTLY = {"crash": 8, "hang": 32}
"""By what part that is less where a try costs a process, or the time of an answer as well."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The shortest input that breaks the same rule in the same way, and its broken verdicts."""

    shortest: bytes
    broken: list[Verdict]


@dataclass(slots=True)
class Triage:
    """The result of all suspicions: broken verdicts, and the findings that they make."""

    verdicts: list[Verdict] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    inputs: dict[str, bytes] = field(default_factory=dict)
    unconfirmed: list[Suspected] = field(default_factory=list)
    refuted: list[Suspected] = field(default_factory=list)


def case_name(data: bytes) -> str:
    """The id of the case that an input is."""
    return f"fuzz/{hashlib.sha256(data).hexdigest()[:16]}"


def is_of_control_case(verdict: Verdict) -> bool:
    """True if the verdict is about a golden vector, and not about the input beside it."""
    return verdict.case.endswith("/well-formed")


def verdicts_on_input(data: bytes, target: Target, profile: str) -> list[Verdict]:
    """Return the engine's verdicts on one input; none if the target lacks the message."""
    parted = split(data)
    if parted is None:
        return []
    subject, body = parted
    name = case_name(data)
    family = found_family(name, subject.message, subject.version, subject.op, body, target.hello)
    if family is None:
        return []
    verdicts = map(by_bytes, run([family], target, catalogue(), profile))
    return [each for each in verdicts if each.case.startswith(name)]


class Gathering:
    """Puts together what was confirmed of one target; equal inputs are one."""

    def __init__(self, name: str, profile: str) -> None:
        self._name = name
        self._profile = profile
        self._done = Triage()
        self._causes = Causes()

    def take(self, suspected: Suspected, confirmed: Confirmed | None) -> bool:
        """Count the result of one suspicion, shorter inputs first; return True if it is new."""
        if confirmed is None:
            is_refuted = suspected.old or suspected.is_of_cost
            (self._done.refuted if is_refuted else self._done.unconfirmed).append(suspected)
            return False
        name = case_name(confirmed.shortest)
        if name in self._done.inputs:
            return False
        self._done.inputs[name] = confirmed.shortest
        for verdict in confirmed.broken:
            self._causes.take(verdict)
            self._done.verdicts.append(verdict)
        return True

    def done(self) -> Triage:
        """Return the result of all suspicions."""
        found = self._causes.findings()
        inputs = self._done.inputs
        self._done.findings = [
            _reproducible(each, inputs, self._name, self._profile) for each in found
        ]
        return self._done


def triage(
    suspects: Iterable[Suspected],
    target: Target,
    name: str,
    profile: str,
    say: Callable[[str], None] = lambda _: None,
) -> Triage:
    """Confirm, shorten and group suspicious inputs. Raises TargetLost."""
    gathering = Gathering(name, profile)
    for suspected in sorted(suspects, key=lambda each: order(each.data)):
        found = confirmed(suspected.data, target, profile)
        if gathering.take(suspected, found) and found is not None:
            first = found.broken[0]
            say(f"{first.rule}: {first.verdict} of {first.message} v{first.version}")
    return gathering.done()


def order(data: bytes) -> tuple[int, bytes]:
    """In what order suspicions are looked at, wherever they came from."""
    return len(data), data


def confirmed(
    data: bytes,
    target: Target,
    profile: str,
    like: Callable[[Verdict], tuple[bool, ...]] = lambda _: (),
) -> Confirmed | None:
    """A suspicion that came true, made short; None for one that did not. Raises TargetLost.

    Where it breaks several rules, it goes on breaking the one that is most `like` what is wanted,
    itself rather than by the vector beside it.
    """
    broken = _broken(data, target, profile)
    if not broken:
        return None
    kept = max(
        broken, key=lambda each: (not is_of_control_case(each), like(each))
    )  # the first of equals
    shorter = shortest(data, kept, target, profile)
    return Confirmed(shorter, _broken(shorter, target, profile) or broken)


def _broken(data: bytes, target: Target, profile: str) -> list[Verdict]:
    return [each for each in verdicts_on_input(data, target, profile) if each.verdict in BROKEN]


def _reproducible(finding: Finding, inputs: dict[str, bytes], name: str, profile: str) -> Finding:
    """Return the finding with a command, the bytes in it, that asks the same again."""
    data = inputs["/".join(finding.case.split("/")[:2])]  # whichever case of its family failed
    return msgspec.structs.replace(finding, reproduce=input_line(name, data, profile))


def shortest(data: bytes, broken: Verdict, target: Target, profile: str) -> bytes:
    """The input without what is not needed to break the same rule in the same way."""
    parted = split(data)
    assert parted is not None
    subject, body = parted
    tries = MOST_TRIES // COSTLY.get(broken.verdict, 1)
    way = _how_broken(broken, data)

    def still(body: bytes) -> bool:
        again = subject.head + body
        return any(_how_broken(each, again) == way for each in _broken(again, target, profile))

    return subject.head + shrunk(subject, body, still, tries, target.hello.definitions)


def _how_broken(verdict: Verdict, data: bytes) -> tuple[str, str, str]:
    """Return how an input is broken: its own case or another of its family, the rule, and the
    cause.
    """
    return verdict.case.removeprefix(case_name(data)), verdict.rule, verdict.verdict
