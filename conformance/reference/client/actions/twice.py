"""Two transactions of one producer, each aborted if it can't be committed."""

from __future__ import annotations

from functools import partial

from conformance import error_codes
from conformance.reference.client.actions.sending import SEVERAL
from conformance.reference.client.actions.transacting import TRANSACTION, Transacting
from conformance.reference.client.actions.writing import WRITTEN_MS
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Course, Failed

FIRST = tuple(f"v{number}" for number in range(SEVERAL))
SECOND = ("w",)


class Twice(Transacting):
    """The action that writes two transactions. `became` has the outcome of each that has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.became: list[str] = []

    def twice(self) -> Course:
        """Commit each transaction, or abort it."""
        self.in_transaction = self.keeps_producer = True
        for values in (FIRST, SECOND)[len(self.became) :]:
            yield from self.one_of_two(values)
        self.told = self.became

    def one_of_two(self, values: tuple[str, ...]) -> Course:
        """Write a transaction with a batch for each of these values that is not written yet."""
        try:
            while len(self.streamed) < len(values):
                self.at_once = (("k", values[len(self.streamed)], WRITTEN_MS, ()),)
                yield from self.trying(self.write, f"the topic {TOPIC}")
                self.streamed += self.told
            yield from self.trying(self.end_transaction, f"the transaction {TRANSACTION}")
            self.became.append("committed")
        except Failed:
            yield from self.abort()
            self.became.append("aborted")
        self.streamed = []

    def abort(self) -> Course:
        """Abort the transaction, and drop the epoch so that the next one asks for another."""
        end = partial(self.end_transaction, commits=False)
        yield from self.trying(end, f"the end of the transaction {TRANSACTION}")
        self.kept, self.written = None, 0

    def passing(self) -> frozenset[int]:
        """Return the errors that may pass.

        In a transaction an unknown producer is none of them: another id would end the transaction
        at the coordinator.
        """
        unknown = {error_codes.UNKNOWN_PRODUCER_ID} if self.in_transaction else set()
        return super().passing() - unknown
