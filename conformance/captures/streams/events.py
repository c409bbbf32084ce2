"""The events of a conversation: frames with their requests, and bytes that are not judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.captures.streams.request_head import RequestHead

Side = Literal["request", "response"]


@dataclass(frozen=True, slots=True)
class Captured:
    """A frame without its size. `asked` is the request itself, or the request that it answers.

    `number` counts the frames of its connection from 1. `late` means that an answer came after the
    answer to a later request, `again` that an unanswered request has the same correlation id.
    `offset` is where its size stands in the stream of its side.
    """

    connection: str
    number: int
    at_ns: int
    side: Side
    frame: bytes
    asked: RequestHead
    late: bool = False
    again: bool = False
    offset: int = 0

    @property
    def case(self) -> str:
        """Return its id in results."""
        return f"capture/{self.connection}/{self.number}"

    @property
    def message(self) -> str:
        """Return the name of its definition, empty if it has none."""
        name = self.asked.message
        is_request = self.side == "request" or not name
        return name if is_request else f"{name.removesuffix('Request')}Response"


@dataclass(frozen=True, slots=True)
class Unanswering:
    """An answer that no request waits for, on a connection that was captured without a gap.

    `silent` means that its correlation id is that of a Produce with acks 0, which has no answer.
    """

    connection: str
    number: int
    at_ns: int
    frame: bytes
    silent: bool = False
    offset: int = 0

    @property
    def case(self) -> str:
        """Return its id in results."""
        return f"capture/{self.connection}/{self.number}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Bytes or a connection that are not judged, and why; `detail` names them."""

    connection: str
    why: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SkippedFrame(Skipped):
    """A frame that is not judged: its size, and as much of its begin as was kept."""

    side: Side = "request"
    offset: int = 0
    size: int = 0
    head: bytes = b""


Event = Captured | Unanswering | Skipped
