"""What comes of a conversation: frames with what they answer, and what is not one to be judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.captures.streams.request_head import RequestHead

Side = Literal["request", "response"]


@dataclass(frozen=True, slots=True)
class Captured:
    """A frame without its size. `asked` is what it asks, or what it answers.

    `number` counts the frames of its connection from 1. `late` says that an answer came behind that
    to a later request, `again` that the correlation id is that of a request still unanswered.
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
        """Its id in results."""
        return f"capture/{self.connection}/{self.number}"

    @property
    def message(self) -> str:
        """The definition that it is of, empty where there is none."""
        name = self.asked.message
        is_request = self.side == "request" or not name
        return name if is_request else f"{name.removesuffix('Request')}Response"


@dataclass(frozen=True, slots=True)
class Unanswering:
    """An answer to no request that waits for one, on a connection that was captured without a gap.

    `silent` says that its correlation id is that of a Produce with acks 0, which has no answer.
    """

    connection: str
    number: int
    at_ns: int
    frame: bytes
    silent: bool = False
    offset: int = 0

    @property
    def case(self) -> str:
        """Its id in results."""
        return f"capture/{self.connection}/{self.number}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """What is not judged, and why; `detail` names it."""

    connection: str
    why: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SkippedFrame(Skipped):
    """A frame that is not judged: how long it is, and its begin as far as that was kept."""

    side: Side = "request"
    offset: int = 0
    size: int = 0
    head: bytes = b""


Event = Captured | Unanswering | Skipped
