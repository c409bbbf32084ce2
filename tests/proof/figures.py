"""The results of the suite's measurements of itself: the figures of `docs/proof.md`.

`python -m tests.proof.figures` in a checkout writes the lines between that page's two marks;
the tests that measure the same compare each line with their results.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from conformance.brokers import score as broker_score
from conformance.clients import score as client_score
from conformance.codecs.cases.case import Family
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.mutants.baselines import BASELINES, Baseline
from conformance.codecs.quick.choosing import quick_families
from conformance.codecs.run import run
from conformance.codecs.score import Score, quick_score, score, unseen_score
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.data import vector_messages
from conformance.errors import ConformanceError
from conformance.proxies import score as proxy_score
from conformance.reference.codec import PlainCodec
from conformance.results.lines import Verdict
from conformance.rules import catalogue
from conformance.rules.clauses import coverage, select
from conformance.rules.selection import Selection
from conformance.testee_protocol import Hello
from tests.proof import unseen as diagnosis_unseen

BEGIN = "<!-- proof: begin -->"
END = "<!-- proof: end -->"
PAGE = Path("docs", "proof.md")
DIAGNOSIS = Path("tests", "codecs", "diagnosis", "figures.md")
UNSEEN = (
    "unseen",
    "unseen_again",
    "unseen_third",
    "unseen_fourth",
    "unseen_fifth",
    "unseen_sixth",
    "unseen_seventh",
)
"""Sets of defects of a codec, each by an author who had read no mutant."""
PUBLIC = Path("tests", "rediscovery", "figures.md")
BASELINE_STEP = 3
"""Baselines are asked about one in so many vectors, as they do the same on all."""


def lines() -> Iterator[str]:
    """Yield every line, as Markdown."""
    yield mutants_line(score())
    yield unseen_line(unseen_score())
    yield quick_line(quick_score())
    yield peer_mutants_line("broker", broker_score.score())
    yield peer_mutants_line("client", client_score.score())
    yield peer_mutants_line("proxy", proxy_score.score())
    for baseline in BASELINES:
        verdicts = baseline_verdicts(baseline)
        yield baseline_line(baseline, ((each.case, each.verdict) for each in verdicts))
    yield clauses_line()


def mutants_line(table: Iterable[Score]) -> str:
    """Return the line with the number of mutants that are caught."""
    caught = Counter(line.caught for line in table)
    return (
        f"- Mutants: {caught[True]} of {caught.total()} defects of the reference codec are caught "
        f"by the rule that each breaks, run alone."
    )


def unseen_line(table: Iterable[Score]) -> str:
    """Return the line for mutants that were written by an author who had read no case."""
    caught = Counter(line.caught for line in table)
    return (
        f"- Unseen mutants: {caught[True]} of {caught.total()} defects that someone wrote who had "
        "read no case are caught by the rule that each breaks."
    )


def quick_line(table: Iterable[Score]) -> str:
    """Return the line with the number of both that a quick run catches, and its cases."""
    caught = Counter(line.caught for line in table)
    every = (each for found in quick_families(_hello()).values() for each in found)
    cases = sum(bool(case.rules) for family in every for case in family.cases)
    return (
        f"- `codec --quick`: {cases} cases of a codec that has every message; {caught[True]} of "
        f"these {caught.total()} defects are caught by the rule that each breaks."
    )


def peer_mutants_line(kind: str, table: Iterable[Score]) -> str:
    """Return the line for mutants of the reference broker, client or proxy."""
    caught = Counter(line.caught for line in table)
    return (
        f"- {kind.capitalize()} mutants: {caught[True]} of {caught.total()} defects of the "
        f"reference {kind} are caught by the rule that each breaks, run alone."
    )


def baseline_line(baseline: type[Baseline], verdicts: Iterable[tuple[str, str]]) -> str:
    """Return the line for a codec that does nothing, from each verdict's case and name."""
    passed: dict[str, bool] = {}
    for case, name in verdicts:
        passed[case] = passed.get(case, False) or name == "pass"
    count = Counter(passed.values())
    does = re.split("[.,:]", baseline.__doc__ or "")[0]
    return (
        f"- A codec that {does[:1].lower()}{does[1:]} passes {count[True]} of {count.total()} "
        f"cases, {count[True] / count.total():.2%}."
    )


def clauses_line() -> str:
    """Return the line with the number of clauses of the KIPs that are decided."""
    return f"- KIP-4, KIP-482, KIP-511, KIP-699: {coverage(select())}."


def baseline_verdicts(baseline: type[Baseline]) -> Iterator[Verdict]:
    """Yield the verdicts of all cases on a codec that does nothing."""
    return run(every_family(), ObjectTarget(baseline()), catalogue(), "spec")


@cache
def _hello() -> Hello:
    return ObjectTarget(PlainCodec()).hello


@cache
def every_family() -> tuple[Family, ...]:
    """Return the cases of a codec that declares everything, made of every third vector."""
    hello = _hello()
    everything = Selection(rules=catalogue())
    return tuple(
        family
        for message in vector_messages()
        for family in families(read_vectors(message)[::BASELINE_STEP], hello, everything)
    )


def measured_elsewhere(folder: Path) -> Iterator[str]:
    """Yield lines of slow measurements, made by `tox run -e diagnosis` and `rediscovery`."""
    yield (folder / PUBLIC).read_text("utf-8").rstrip()
    sets = [folder / DIAGNOSIS.parent / name / diagnosis_unseen.TOLD for name in UNSEEN]
    yield unseen_defects([[*diagnosis_unseen.read_before(each).values()] for each in sets])
    yield "\nWhat a failing codec is told (`tox run -e diagnosis`):\n"
    yield (folder / DIAGNOSIS).read_text("utf-8").rstrip()


def unseen_defects(sets: Sequence[Sequence[diagnosis_unseen.UnseenAnswer]]) -> str:
    """Return the line for each set of defects at its first run, the oldest set first."""
    right = ", ".join(
        str(sum(each.right == "yes" for each in marked_lines)) for marked_lines in sets
    )
    newest = sum(each.findings for each in sets[-1]) / len(sets[-1])
    return (
        f"- Defects of a codec by people who had read no mutant, {len(sets[-1])} a set, each set "
        f"written before its first run and run once: the first finding names the cause of {right}, "
        f"the oldest set first; the newest has {newest:.2f} findings a defect."
    )


def marked_lines(text: str) -> list[str]:
    """Return the lines between the marks. Raises ConformanceError without marks."""
    if not 0 <= text.find(BEGIN) < text.find(END):
        raise ConformanceError("there is no place for the lines", f"put {BEGIN} and {END} into it")
    return text[text.index(BEGIN) + len(BEGIN) : text.index(END)].split("\n")


def write(root: Path) -> None:
    """Write the lines into the page of a checkout."""
    page = root / PAGE
    text = page.read_text("utf-8")
    marked_lines(text)
    body = "\n".join((*lines(), *measured_elsewhere(root)))
    before, behind = text[: text.index(BEGIN)], text[text.index(END) :]
    page.write_text(f"{before}{BEGIN}\n\n{body}\n\n{behind}", "utf-8")


if __name__ == "__main__":
    write(Path())
