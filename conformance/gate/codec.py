"""The codec gate: an item for each message and rule group, with all its cases inside.

Cases are far too many for an item each. An item judges its cases through the engine, and if some
went wrong, reports for each rule how many and which is the first, and shows the bytes of the
shortest; the findings come when the run ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter

import pytest

from conformance.gate.kinds.codec import Gate
from conformance.reporting.escaping import seen
from conformance.results.lines import BROKEN, Verdict
from conformance.results.text import counted, failure_text

WRONG = BROKEN | {"error"}


def test_codec(message: str, group: str, conformance_gate: Gate) -> None:
    """Check that every verdict of this message and rule group is acceptable."""
    judge_item(message, group, conformance_gate)


def judge_item(message: str, group: str, gate: Gate) -> None:
    """Judge an item. It fails if something went wrong that is not a known failure."""
    verdicts = gate.verdicts(message, group)
    if all(verdict.verdict == "unsupported" for verdict in verdicts):
        pytest.skip(f"the target declares nothing of {group} on {message}")
    wrong = [each for each in verdicts if each.verdict in WRONG and gate.is_news(each)]
    if wrong:
        shown = min(wrong, key=lambda each: (not each.annotated, len(str(each.input)), each.case))
        said = "\n".join((*_by_rule(wrong), "", seen(failure_text(shown, len(wrong) - 1))))
        pytest.fail(said, pytrace=False)


def _by_rule(wrong: Iterable[Verdict]) -> Iterator[str]:
    for rule, found in groupby(sorted(wrong, key=attrgetter("rule")), key=attrgetter("rule")):
        first, *others = found
        counts = counted(1 + len(others), "time")
        yield f"{rule} ({first.class_}): {first.verdict} {counts}, first in {first.case}"
