"""Clients that give their application other records than the log holds, or other times."""

from __future__ import annotations

from conformance.clients.mutants.mutant import ClientMutant
from conformance.testee_protocol import Value

BITS_32 = 2**32
EDGE = 2**62


class GivesWholeBatches(ClientMutant, breaks="client-records.given-as-held"):
    """Gives all records of a batch, also those before the offset that it asked for."""

    def given(self, batch: Value, offset: int) -> list[Value]:
        return super().given(batch, min(offset, batch["baseOffset"]))


class CountsOffsets(ClientMutant, breaks="client-records.given-as-held"):
    """Counts the records of a batch in place of adding their deltas to its offset."""

    def given(self, batch: Value, offset: int) -> list[Value]:
        numbered = enumerate(batch["records"])
        counted = [{**each, "offsetDelta": number} for number, each in numbered]
        return super().given({**batch, "records": counted}, offset)


class ReadsDeltasOf32Bits(ClientMutant, breaks="client-records.create-time-given"):
    """Reads the timestamp delta of a record as 32 bits."""

    implies = ("client-records.far-times-given",)

    def time_of(self, batch: Value, record: Value) -> int:
        cut = {**record, "timestampDelta": record["timestampDelta"] % BITS_32}
        return super().time_of(batch, cut)


class KnowsNoAppendTime(ClientMutant, breaks="client-records.append-time-given"):
    """Gives each record the time of its producer, whatever its batch says."""

    def time_of(self, batch: Value, record: Value) -> int:
        return super().time_of({**batch, "attributes": 0}, record)


class ShiftsWithTheSign(ClientMutant, breaks="client-records.far-times-given"):
    """Undoes zigzag with a shift that keeps the sign."""

    def time_of(self, batch: Value, record: Value) -> int:
        delta = record["timestampDelta"]
        wrong = delta - 2 * EDGE if delta >= EDGE else delta
        return super().time_of(batch, {**record, "timestampDelta": wrong})


class TakesAllThatIsNamed(ClientMutant, breaks="client-records.named-twice-given-once"):
    """Takes each naming of a partition in an answer for records of their own."""

    def one_of(self, found: list[Value]) -> Value:
        return {**super().one_of(found), "named": len(found)}

    def records_of(self, found: Value, offset: int) -> tuple[list[Value], int]:
        records, following = super().records_of(found, offset)
        return records * found.get("named", 1), following
