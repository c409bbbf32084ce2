"""Control cases that failed and still show that a refusal is no habit.

A malformed message that is refused proves something only of a codec that takes well-formed ones. A
control case that was read to its end, with wrong values of one type and nothing else wrong, was
taken: its lengths, counts and tags were all found. So a refusal beside it counts.
"""

from __future__ import annotations

from conformance.codecs.cases.case import Case, Reads, Refuses, Writes
from conformance.codecs.judge.compare import Difference, differences, written_differences
from conformance.testee_protocol import Outcome
from conformance.wire.byte_reader import FORMATS


def is_due_refusal(case: Case, outcome: Outcome) -> bool:
    """True if the bytes have to be refused, and were."""
    return isinstance(case.expects, Refuses) and outcome.outcome == "rejected"


def is_read_through(case: Case, outcome: Outcome) -> bool:
    """True if values of one type of fixed width are all that is wrong with an answer."""
    if outcome.outcome != "value" or outcome.remaining or outcome.then is not None:
        return False
    kinds = {each.kind for each in _differences(case, outcome)}
    return len(kinds) == 1 and kinds <= FORMATS.keys()


def _differences(case: Case, outcome: Outcome) -> list[Difference]:
    """Return all places in which the answer to a reader's case differs."""
    match case.expects:
        case Reads(header_layout=None) as reads:
            return list(differences(reads.layout, reads.value, outcome.value, reads.keeps_tags))
        case Writes() as writes if outcome.bytes is not None:
            return written_differences(writes, outcome.bytes)
    return []
