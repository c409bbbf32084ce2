"""The defects of one target, as its page shows them: each finding with its remedy and bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.reporting.breaches import harm_of, remedy_of
from conformance.reporting.closing_block import MOST, defects_of
from conformance.reporting.issue_text import issue
from conformance.reporting.site.gathered_run import Gathered
from conformance.reporting.site.links import link
from conformance.results.case_examples import example_of
from conformance.results.known import Known, Listed
from conformance.results.lines import VISIT, Finding, Verdict
from conformance.results.publish import WITHHELD
from conformance.results.text import annotated_lines, seen, shown
from conformance.results.visits import visit_lines
from conformance.rules import Rule, catalogue

_MOST_RULES = 8


@dataclass(frozen=True)
class DefectView:
    """One finding: its fault in a clause, the rule that demands otherwise, and its smallest case.

    `place` leads to all bytes of that case. A case that could do harm is withheld, and with it
    everything that could show it again.
    """

    kind: str
    ends: str
    clause: str
    seen_in: str
    harm: str
    remedy: str
    rules: list[str]
    more_rules: int
    demands: Rule | None
    asked: list[tuple[str, str]]
    rows: list[str]
    command: str
    issue: str
    place: tuple[str, int] | None
    known: Known | None

    @property
    def is_withheld(self) -> bool:
        """True if the case can't be shown."""
        return not self.command

    @property
    def known_link(self) -> str:
        """Return the address of its public issue, or ""."""
        return link(self.known.issue) if self.known else ""


def defect_views(
    gathered: Gathered, places: Mapping[str, tuple[str, int]], known: Sequence[Known]
) -> list[DefectView]:
    """Return the defects of a run, the gravest first, as in the closing block."""
    listed = Listed(known)
    clauses = defects_of(gathered.findings)
    found = []
    for finding, defect in zip(gathered.findings, clauses, strict=True):
        example = example_of(gathered.examples, finding)
        found.append(
            DefectView(
                kind=finding.kind,
                ends=finding.ends if finding.ends != finding.kind else "",
                clause=defect.text,
                seen_in=_seen_in(finding, defect.count),
                harm=harm_of(finding),
                remedy=remedy_of(finding),
                rules=finding.rules[:_MOST_RULES],
                more_rules=max(0, len(finding.rules) - _MOST_RULES),
                demands=catalogue().get(finding.rules[0]) if finding.rules else None,
                asked=_asked(example) if example else [],
                rows=annotated_lines(example) if example else [],
                command="" if finding.case == WITHHELD else finding.reproduce,
                issue=issue(gathered.run, finding, example) if example else "",
                place=places.get(finding.case),
                known=listed.entry(example) if example else None,
            )
        )
    return found


def first_of(defects: Sequence[DefectView]) -> tuple[list[DefectView], list[DefectView]]:
    """Return the defects to mend first, and the others."""
    return list(defects[:MOST]), list(defects[MOST:])


def _seen_in(finding: Finding, count: str) -> str:
    """Return how often and where: the operations and messages at the begin of a cause."""
    where, there, _ = finding.cause.partition(": ")
    return f"{count}: {where}" if there and finding.case != WITHHELD else count


def _asked(example: Verdict) -> list[tuple[str, str]]:
    """Return what was asked, allowed and received, in words or in bytes."""
    told = [
        ("Played" if example.op == VISIT else "Sent", example.input),
        ("Last request", example.step[0] if example.step else ""),
        ("Its answer", example.step[1] if example.step else ""),
        ("Allowed", example.expected),
        ("Received", example.actual),
        ("Seen", seen(example)),
        ("Because", example.detail),
        ("Differs", example.first_difference),
    ]
    return [(name, _text(value)) for name, value in told if value not in (None, "", [], {})]


def _text(value: Any) -> str:
    """Return a value in one line; for a client's visit, the lines that matter."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n".join(visit_lines(value))
    return shown(value)
