"""What a target did with each case of a chunk, as a number a case that others are held against.

A number for each sort of answer, as the judge sees it: so two codecs that name a field differently,
or whose tags were dropped as they said, still agree. Other answers than the right one are told
apart by what they say. Parquet packs what is mostly one of two numbers into almost nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import msgspec

from conformance.campaigns.storage.tables import Row
from conformance.codecs.cases.case import Family
from conformance.results.lines import Verdict
from conformance.testee_protocol import Outcome, Request

NOTHING, EXPECTED, REFUSED, CRASHED, HUNG = range(5)
"""Not asked, or no answer; the value or the bytes that are due; refused; ended by it."""
_FIRST_OTHER = 16
_ENDED = {"crash": CRASHED, "hang": HUNG}
_BY_OUTCOME = {"rejected": REFUSED, "crashed": CRASHED, "hung": HUNG}

Done = Iterable[tuple[Request, Outcome, int]]


def answer_rows(families: Iterable[Family], verdicts: Iterable[Verdict], done: Done) -> list[Row]:
    """A row for each case that was asked."""
    judged = {each.case: each for each in verdicts}
    outcomes: dict[int, Outcome] = {}
    for request, outcome, _ in done:
        outcomes.setdefault(id(request), outcome)  # some are asked once more
    return [
        {"case": _number(case.id), "answer": answer(outcomes[id(case.request)], judged[case.id])}
        for family in families
        for case in family.cases
        if id(case.request) in outcomes
    ]


def answer(outcome: Outcome, verdict: Verdict) -> int:
    """The number that stands for an outcome that was judged so."""
    if verdict.verdict in _ENDED:
        return _ENDED[verdict.verdict]
    if outcome.outcome != "value":
        return _BY_OUTCOME.get(outcome.outcome, NOTHING)
    broken = verdict.verdict == "fail" or (verdict.verdict == "note" and verdict.input is not None)
    return _other(outcome, verdict) if broken else EXPECTED


def _other(outcome: Outcome, verdict: Verdict) -> int:
    """Of values the difference counts: the same field has another name in another release."""
    if outcome.bytes is not None:
        said = outcome.bytes
    elif verdict.first_difference:
        said = verdict.first_difference.encode()
    else:
        said = msgspec.json.encode(outcome, order="deterministic")
    digest = blake2b(said, digest_size=8).digest()
    return max(int.from_bytes(digest) >> 1, _FIRST_OTHER)


def _number(case: str) -> int:
    return int(case.rpartition("/")[2])
