"""The steps and answers of a dialogue with an endpoint, without a socket.

A dialogue is a generator: it yields what is to be done on a connection, or on several in turn, and
is sent the result. So the same dialogue runs over TCP, over TLS and with a broker that is an object
in this process, and can be read from top to bottom.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal

ReceivedKind = Literal["reply", "closed", "reset", "silent", "flood"]
Who = Literal["self", "other", "nobody"]
"""The principal of a connection.

The first is the principal of the run, with all permissions; the second has no permissions except
those granted; the third is connected, and not authenticated.
"""


@dataclass(frozen=True, slots=True)
class Send:
    """Bytes to be written as they are, in `pieces` of so many bytes each with `gap_s` between."""

    data: bytes
    pieces: int = 0
    gap_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Receive:
    """Wait for one frame. `patience_s` replaces the run's own patience if silence is expected."""

    patience_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reconnect:
    """Leave this connection, and go on with a fresh one; `node` is another broker's id."""

    who: Who = "self"
    node: int | None = None


@dataclass(frozen=True, slots=True)
class Switch:
    """Go on with the connection of this name, a fresh one at first; the other one stays open.

    The first connection of a dialogue has an empty name. `node` is another broker's id.
    """

    name: str
    node: int | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """Signal that nothing more will be sent, and go on listening."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Tear the connection down, as a client does that was killed. A `Reconnect` must follow."""


@dataclass(frozen=True, slots=True)
class OpenConnections:
    """Open so many connections beside this one, and keep them until the dialogue is over."""

    number: int
    sent: bytes = b""


@dataclass(frozen=True, slots=True)
class Stop:
    """End one broker of a cluster that this run started; it is started again afterwards."""

    node: int


@dataclass(frozen=True, slots=True)
class Follow:
    """Leave this connection, and go on with one to an address from an answer.

    The result is None, or of a broker that can't be reached there a `Received` with the reason.
    """

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Arrive:
    """Wait at the broker behind a proxy for the next request, or for the end of its connection."""

    patience_s: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Bytes to be written by the broker behind a proxy, on the connection that asked last."""

    data: bytes
    pieces: int = 0
    gap_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Pour:
    """Have the broker behind a proxy write on, as long as the proxy takes the bytes.

    The result is a text: how many bytes were taken until `patience_s` passed without one.
    """

    data: bytes
    patience_s: float = 1.0


@dataclass(frozen=True, slots=True)
class HangUp:
    """End the connection between a proxy and the broker behind it, from the broker's side."""

    reset: bool = False


@dataclass(frozen=True, slots=True)
class Received:
    """The result of waiting.

    reply: a frame, without its length. closed: the end of the stream, between two frames. reset:
    the connection was torn down, or ended within a frame. silent: nothing in time, and the
    connection is still there. flood: a frame was announced that is longer than any answer can be.
    """

    kind: ReceivedKind
    frame: bytes = b""
    text: str = ""
    node: int = 0
    """The id of the broker behind a proxy at which the frame arrived."""
    connection: int = 0
    """The number of the proxy's connection to a broker on which the frame arrived."""


@dataclass(frozen=True, slots=True)
class Tell:
    """A noteworthy fact about an endpoint that passes, such as the error that it answers."""

    text: str


Step = (
    Send
    | Receive
    | Reconnect
    | Switch
    | Finish
    | Reset
    | OpenConnections
    | Stop
    | Tell
    | Follow
    | Arrive
    | Answer
    | Pour
    | HangUp
)
Dialogue = Generator[Step, Received | None, None]


class Broken(Exception):
    """The endpoint did not do what it must. The text has what was expected and what came.

    `unanswered` is the API and version of a request without a whole answer, if that is the fault;
    with `unread` an answer came that can't be read. `judged_by` is the rule that judges the failed
    step, if it is not the rule that the dialogue decides. `about` is the API and version of an
    answer that breaks that rule by itself, whatever the request was. `by_itself` says that what
    came shows the breach, whatever else is wrong with answers.
    """

    def __init__(
        self,
        detail: str,
        expected: str = "",
        actual: bytes | str = "",
        *,
        unanswered: tuple[str, int] | None = None,
        judged_by: str = "",
        unread: bool = False,
        about: tuple[str, int] | None = None,
        by_itself: bool = False,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.expected = expected
        self.actual = actual.hex() if isinstance(actual, bytes) else actual
        self.unanswered = unanswered
        self.judged_by = judged_by
        self.unread = unread
        self.about = about
        self.by_itself = by_itself


class NotApplicable(Exception):
    """The endpoint lacks what the dialogue is about; the text says what."""
