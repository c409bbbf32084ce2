"""The codec gate: an item for each message and rule group, with all its cases inside.

Cases are far too many for an item each. An item judges its cases through the engine, and if some
went wrong, reports for each rule how many and which is the first, and shows the bytes of the
shortest; the findings come when the run ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

import pytest

from conformance.gate.gate import Gate, JudgedItem
from conformance.reporting.escaping import seen
from conformance.results.lines import BROKEN, Verdict
from conformance.results.text import counted, failure_text

WRONG = BROKEN | {"error"}


def test_conformance(message: str, group: str, conformance_gate: Gate[Any]) -> None:
    """Check that every verdict of this message and rule group is acceptable."""
    gate = conformance_gate
    if gate.together is not None:
        _judge_together(gate.together[message, group], message, group)
        return
    verdicts = gate.verdicts(message, group)
    if all(verdict.verdict == "unsupported" for verdict in verdicts):
        pytest.skip(f"the target declares nothing of {group} on {message}")
    wrong = [each for each in verdicts if each.verdict in WRONG and gate.is_news(each)]
    if wrong:
        pytest.fail(_told(wrong), pytrace=False)


def _judge_together(judged: JudgedItem, message: str, group: str) -> None:
    if judged.unsupported:
        pytest.skip(f"the target declares nothing of {group} on {message}")
    if judged.repeats:
        pytest.xfail(judged.repeats)
    if judged.wrong:
        pytest.fail("\n".join((*judged.leads, _told(judged.wrong))), pytrace=False)


def _told(wrong: Sequence[Verdict]) -> str:
    """The rules that were broken, and the bytes of the shortest case."""
    shown = min(wrong, key=lambda each: (not each.annotated, len(str(each.input)), each.case))
    return "\n".join((*_by_rule(wrong), "", seen(failure_text(shown, len(wrong) - 1))))


def _by_rule(wrong: Iterable[Verdict]) -> Iterator[str]:
    for rule, found in groupby(sorted(wrong, key=attrgetter("rule")), key=attrgetter("rule")):
        first, *others = found
        counts = counted(1 + len(others), "time")
        yield f"{rule} ({first.class_}): {first.verdict} {counts}, first in {first.case}"
