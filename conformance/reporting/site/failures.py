"""The failures of one rule group as a page loads them, with shared parts written once.

A case that breaks five rules of a group has its sent, expected and received bytes written once:
rules point at the parts by number. All failures of a target together have a fixed room, shared
evenly among the rules that have any: each rule shows at least its first, and the unused part of a
rule's share goes to the rules after it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from conformance.reporting.site.bodies import Bodies
from conformance.reporting.site.counts import packed_versions
from conformance.reporting.site.gathered_run import CountedForm, Gathered
from conformance.reporting.site.links import link
from conformance.results.command_lines import case_line, command_line, given, with_options, words_of
from conformance.results.known import Known, Listed
from conformance.results.lines import BROKEN, Run, Verdict
from conformance.results.publish import WITHHELD

_COMMANDS = ("codec", "broker", "client", "proxy")
_LONGEST = 2000
ROOM = 700_000
"""The bytes for the failures of one target, so that the sites of many stay small."""


class _Group:
    """The data that the rules of one group share: the parts of cases, and the names of messages."""

    def __init__(self) -> None:
        self.parts: list[list[dict[str, Any]]] = []
        self.messages: dict[str, int] = {}
        self._places: dict[tuple[str, str, str], int] = {}

    def place(self, verdict: Verdict) -> int | None:
        """Return the number of this case's parts, None if they are not added yet."""
        return self._places.get(_question(verdict))

    def add(self, verdict: Verdict, parts: list[dict[str, Any]]) -> int:
        """Add the parts of a case, and return their number."""
        place = self._places[_question(verdict)] = len(self.parts)
        self.parts.append(parts)
        return place

    def message(self, name: str) -> int:
        """Return the number of a message."""
        return self.messages.setdefault(name, len(self.messages))


class Failures:
    """A maker of the data of one run's groups."""

    def __init__(
        self, gathered: Gathered, kind: str, bodies: Bodies, known: Sequence[Known]
    ) -> None:
        self._gathered = gathered
        self._kind = kind
        self._bodies = bodies
        self._known = Listed(known)
        self._by_case = {each.case: each for each in gathered.findings if each.case != WITHHELD}
        self._forms = _by_rule(gathered.counts)
        self._room = ROOM
        self._rules_left = sum(bool(gathered.kept(rule)) for rule in self._forms)
        self.places: dict[str, tuple[str, int]] = {}
        """For each case that is shown, a rule that has it, and its number there, from 1 on."""

    def group(self, rules: Iterable[str]) -> dict[str, Any]:
        """Return the rules of a group: counts by message, and the verdicts that are kept."""
        group = _Group()
        found = []
        for rule in rules:
            kept, counts = self._kept(rule, group), self._counts(rule, group)
            found.append({"rule": rule, "kept": kept, "counts": counts})
        return {"rules": found, "parts": group.parts, "messages": list(group.messages)}

    def _kept(self, rule: str, group: _Group) -> list[dict[str, Any]]:
        """Return the verdicts of a rule, as many as its share of the room holds."""
        kept = self._gathered.kept(rule)
        if not kept:
            return []
        share = self._room // self._rules_left
        self._rules_left -= 1
        shown: list[dict[str, Any]] = []
        used = 0
        for verdict in kept:
            failure = self._failure(verdict)
            size = _size(failure)
            if (place := group.place(verdict)) is None:
                parts = self._bodies.parts(verdict)
                size += _size(parts)
                if shown and used + size > share:
                    break
                place = group.add(verdict, parts)
            used += size
            shown.append({**failure, "parts": place})
            self.places.setdefault(verdict.case, (rule, len(shown)))
        self._room = max(0, self._room - used)
        return shown

    def _counts(self, rule: str, group: _Group) -> list[tuple[int, str]]:
        by_message = self._forms[rule]
        return [
            (group.message(message), packed_versions(by_message[message]))
            for message in sorted(by_message)
        ]

    def _failure(self, verdict: Verdict) -> dict[str, Any]:
        finding = self._by_case.get(verdict.case)
        known = self._listed(verdict)
        return {
            "case": verdict.case[:_LONGEST],
            "message": verdict.message,
            "version": verdict.version,
            "op": verdict.op,
            "outcome": verdict.outcome,
            "verdict": verdict.verdict,
            "detail": verdict.detail[:_LONGEST],
            "difference": (verdict.first_difference or "")[:_LONGEST],
            "control": (verdict.control_case or "")[:_LONGEST],
            "again": "" if verdict.case == WITHHELD else self._again(verdict),
            "cause": finding.cause[:_LONGEST] if finding else "",
            "diagnosis": self._diagnosis(verdict),
            "reason": known.reason if known else "",
            "issue": [known.issue, link(known.issue)] if known and known.issue else [],
        }

    def _diagnosis(self, verdict: Verdict) -> str:
        """Return the diagnosis that all findings which break its rule agree on, else ""."""
        if verdict.verdict not in BROKEN:
            return ""
        findings = self._gathered.findings
        told = {each.diagnosis for each in findings if verdict.rule in each.every_rule}
        return told.pop()[:_LONGEST] if len(told) == 1 else ""

    def _again(self, verdict: Verdict) -> str:
        """Return the command that asks it again; definitions are asked by rule and message.

        Return "" for a frame of a tap that was not kept.
        """
        if verdict.case.startswith("capture/") and not self._gathered.run.again:
            return ""
        words = asking(self._gathered.run, self._kind, verdict.op)
        if self._kind == "schema":
            return command_line(words, "--rule", verdict.rule, "--message", verdict.message)
        return case_line(words, verdict.case)

    def _listed(self, verdict: Verdict) -> Known | None:
        """Return the nearest entry of the known-failures file for a failure, or None."""
        if verdict.verdict not in BROKEN:
            return None
        return self._known.entry(verdict)


def asking(run: Run, kind: str, op: str = "lint") -> list[str]:
    """Return the words of the command that made a run; guessed if its results lack them.

    `op` is the operation on definitions.
    """
    if run.again:
        return run.again
    if kind == "schema":
        return ["schema", op, run.target]
    words = words_of(kind if kind in _COMMANDS else "codec", run.target)
    return with_options(words, given({"--profile": run.profile}))


def _question(verdict: Verdict) -> tuple[str, str, str]:
    return verdict.case, verdict.op, repr((verdict.expected, verdict.actual))


def _size(data: Any) -> int:
    return len(json.dumps(data))


def _by_rule(counts: Counter[CountedForm]) -> dict[str, dict[str, dict[int, Counter[str]]]]:
    found: dict[str, dict[str, dict[int, Counter[str]]]] = {}
    for form, count in counts.items():
        versions = found.setdefault(form.rule, {}).setdefault(form.message, defaultdict(Counter))
        versions[form.version][form.verdict] += count
    return found
