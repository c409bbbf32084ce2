"""What the cases of a quick run show before a whole run starts, so that nobody waits to hear of it.

They are asked once more among all others: there are too few of them to matter.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from conformance.gate.kinds.codec import Gate, Settings
from conformance.results.known import Expectations
from conformance.results.lines import BROKEN, Verdict
from conformance.targets.errors import TargetLost
from conformance.testee_protocol import Target

_MOST_RULES = 3


def first_failures(settings: Settings, target: Target, known: Expectations) -> str:
    """What fails of the first cases and is not known, in one line; "" where nothing does.

    It ends with the message in which the target crashes or hangs, as the run will come back to it.
    """
    gate = Gate(msgspec.structs.replace(settings, parts="", quick=True), target)
    cases: set[str] = set()
    failed: set[str] = set()
    rules: dict[str, None] = {}
    for verdict in _verdicts(gate, target):
        cases.add(verdict.case)
        if verdict.verdict in BROKEN and known.take(verdict):
            failed.add(verdict.case)
            rules[verdict.rule] = None
    if not failed:
        return ""
    more = f" and {len(rules) - _MOST_RULES} more" if len(rules) > _MOST_RULES else ""
    broken = ", ".join(list(rules)[:_MOST_RULES])
    return f"{len(failed)} of the first {len(cases)} cases failed: {broken}{more}"


def _verdicts(gate: Gate, target: Target) -> Iterator[Verdict]:
    try:
        for asked in gate.groups(target.hello):
            found = gate.verdicts(*asked)
            yield from found
            if any(each.verdict in ("crash", "hang") for each in found):
                return
    except TargetLost:  # the run will find that out, and say it
        return
