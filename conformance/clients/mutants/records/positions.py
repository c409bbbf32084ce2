"""Clients that report another position to their application than it has reached."""

from __future__ import annotations

from conformance.clients.mutants.mutant import ClientMutant
from conformance.testee_protocol import Value


class TellsThePositionOfItsFetch(ClientMutant, breaks="client-records.position-told"):
    """Tells the position behind all that it was sent, whatever it has handed out of that."""

    def position_behind(self, record: Value) -> int:
        del record
        return self.position
