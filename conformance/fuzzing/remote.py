"""A codec that lives in a process of its own, fuzzed through the testee protocol.

Its code can't be observed, so definitions guide the search: each part of them that an answer
reaches for the first time counts for libFuzzer like a new branch of code.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zlib import crc32

from conformance.codecs.resolve import open_target
from conformance.testee_protocol import Outcome, Request, Value

COUNTERS = 1 << 15


class RemoteRefused(Exception):
    """The codec refused the bytes or the value; `args` are its words."""


class RemoteEnded(Exception):
    """The codec's process ended, or did not answer."""


class RemoteCodec:
    """The methods that are fuzzed, each one question to a testee."""

    def __init__(self, spec: str, timeout_s: float, memory_mib: int, place: Path | None) -> None:
        self.target = open_target(spec, timeout_s=timeout_s, memory_mib=memory_mib, place=place)

    def decode(self, message: str, version: int, data: bytes) -> tuple[Value, int | None]:
        """A body's value, and how many bytes are left. Raises Refused and Ended."""
        request = Request(op="decode", message=message, version=version, bytes=data)
        outcome = self._ask(request)
        return outcome.value, outcome.remaining

    def encode(self, message: str, version: int, value: Value) -> bytes:
        """A body's bytes. Raises Refused, Ended, and NotImplementedError where it has no such."""
        request = Request(op="encode", message=message, version=version, value=value)
        if not self.target.hello.supports(request):
            raise NotImplementedError
        return self._ask(request).bytes or b""

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        """The bytes of a body that was read and written again. Raises Refused and Ended."""
        request = Request(op="roundtrip", message=message, version=version, bytes=data)
        return self._ask(request).bytes or b""

    def decode_request(self, data: bytes) -> Any:
        """A request frame's header, value and bytes left. Raises Refused and Ended."""
        outcome = self._ask(Request(op="decode-request", bytes=data))
        return outcome.header, outcome.value, outcome.remaining

    def decode_response(self, message: str, version: int, data: bytes) -> Any:
        """A response frame's header, value and bytes left. Raises Refused and Ended."""
        request = Request(op="decode-response", message=message, version=version, bytes=data)
        outcome = self._ask(request)
        return outcome.header, outcome.value, outcome.remaining

    def _ask(self, request: Request) -> Outcome:
        (outcome,) = self.target.ask([request])
        if outcome.outcome in ("crashed", "hung"):
            raise RemoteEnded(outcome.outcome)
        if outcome.outcome != "value":
            raise RemoteRefused(outcome.error or outcome.text)
        return outcome


class Guide:
    """Tells libFuzzer of definitions that were reached, a counter each."""

    def __init__(self) -> None:
        import atheris

        self._reach = atheris._trace_branch
        self._counters = [atheris._reserve_counter() for _ in range(COUNTERS)]
        atheris.UpdateCounterArrays()

    def reached(self, feature: object) -> None:
        """This was reached by the input under way."""
        self._reach(self._counters[crc32(repr(feature).encode()) % COUNTERS])
