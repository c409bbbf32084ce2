"""Clients that report wrong offsets of its records to their application."""

from __future__ import annotations

from conformance.clients.mutants.mutant import ClientMutant


class TellsTheBaseOffset(ClientMutant, breaks="client-produce.offsets-told"):
    """Tells the offset of a batch as that of each of its records."""

    def offset_told(self, base: int, number: int) -> str:
        return super().offset_told(base, 0)


class CountsFromNowhere(ClientMutant, breaks="client-produce.no-offset-told"):
    """Counts offsets on from the -1 that stands for none."""

    def offset_told(self, base: int, number: int) -> str:
        return str(base + number)
