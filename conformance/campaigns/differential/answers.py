"""Each target's answer to each case of a chunk, as one number that can be compared.

The number stands for the judgement, not for the bytes: so two codecs that name a field differently,
or that declared that they drop tags, still agree. Wrong answers have different numbers if their
contents differ. Parquet compresses a column that is mostly one of two numbers to almost nothing.
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
"""Not asked or no answer; the expected value or bytes; refused; crashed; hung."""
_FIRST_OTHER = 16
_ENDED = {"crash": CRASHED, "hang": HUNG}
_BY_OUTCOME = {"rejected": REFUSED, "crashed": CRASHED, "hung": HUNG}

Done = Iterable[tuple[Request, Outcome, int]]


def answer_rows(families: Iterable[Family], verdicts: Iterable[Verdict], done: Done) -> list[Row]:
    """Return a row for each case that was asked."""
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
    """Return the number for an outcome with this verdict."""
    if verdict.verdict in _ENDED:
        return _ENDED[verdict.verdict]
    if outcome.outcome != "value":
        return _BY_OUTCOME.get(outcome.outcome, NOTHING)
    broken = verdict.verdict == "fail" or (verdict.verdict == "note" and verdict.input is not None)
    return _other(outcome, verdict) if broken else EXPECTED


def _other(outcome: Outcome, verdict: Verdict) -> int:
    """Return a number that is a hash of a wrong answer.

    For a value it hashes the first difference: the same field has another name in another release.
    """
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
