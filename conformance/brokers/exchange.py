"""One dialogue with an endpoint: every step of it taken, and what was sent and heard."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Protocol, Self

from conformance.dialogue import (
    Broken,
    Dialogue,
    Finish,
    Follow,
    NotApplicable,
    OpenConnections,
    Receive,
    Received,
    Reconnect,
    Reset,
    Send,
    Step,
    Stop,
    Switch,
    Tell,
    Who,
)
from conformance.targets.errors import TargetError

MOST_SHOWN_BYTES = 4096


class Line(Protocol):
    """A connection, of whatever kind."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def send(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Write `data`, at once or in so many pieces with `gap_s` seconds between them."""
        ...

    def hear(self, patience_s: float | None = None) -> Received:
        """Wait for a frame."""
        ...

    def finish(self) -> None:
        """Say that nothing more will be sent."""
        ...

    def reset(self) -> None:
        """Tear the connection down."""
        ...


class Peer(Protocol):
    """The endpoint that dialogues are held with."""

    def connect(self, who: Who = "self", node: int | None = None) -> Line:
        """A fresh connection, to another broker of the cluster where `node` names it."""
        ...

    def follow(self, host: str, port: int) -> Line:
        """A fresh connection to an address from an answer. Raise TargetError without one."""
        ...


class Control(Protocol):
    """The starter of an endpoint, which can end it and start it again."""

    def alive(self) -> bool:
        """True if it runs."""
        ...

    def restart(self) -> None:
        """Start the endpoint again after its end. Raise TargetError if it can not be started."""
        ...

    def stop(self, node: int) -> None:
        """End one broker of it."""
        ...

    def start(self, node: int) -> None:
        """Start that one again. Raise TargetError if it can not be started."""
        ...


@dataclass(slots=True)
class Exchange:
    """The bytes sent and received in one dialogue, and its outcome. `broken` None means it passed.

    `asked` is what was sent last, `answer` the first frame that came after it, and `api_keys` are
    those of the requests, each of them the first of what was sent at once. `heard` has what was
    sent in front of each frame that came.
    """

    sent: bytearray = field(default_factory=bytearray)
    asked: bytes = b""
    answer: bytes = b""
    api_keys: set[int] = field(default_factory=set)
    heard: dict[bytes, bytes] = field(default_factory=dict)
    last: Received | None = None
    broken: Broken | None = None
    absent: str = ""
    told: str = ""

    @property
    def shown(self) -> bytes | None:
        """The frame that the breach was seen in, None if it was seen in none that came."""
        actual = self.broken.actual if self.broken is not None else ""
        return next((frame for frame in self.heard if frame.hex() == actual), None)

    @property
    def outcome(self) -> str:
        """Return how it ended: what came to the frame that is shown, else to the last request."""
        if self.shown is not None:
            return "reply"
        return self.last.kind if self.last is not None else "silent"

    @property
    def step(self) -> tuple[bytes, bytes]:
        """The request that is shown beside all that was sent, with its answer."""
        frame = self.shown
        if frame is None:
            return self.asked, self.answer
        return self.heard[frame], frame[:MOST_SHOWN_BYTES]


def exchange(dialogue: Dialogue, endpoint: Peer, control: Control | None = None) -> Exchange:
    """Hold one dialogue. Raises TargetError where there is no connection."""
    found = Exchange()
    with Table(endpoint, control, found) as table:
        hold(dialogue, table, found)
    return found


def hold(dialogue: Dialogue, table: Table, found: Exchange) -> None:
    """Take every step of a dialogue, and keep how it came out."""
    received: Received | None = None
    try:
        while True:
            received = table.take(_next_step(dialogue, received))
    except StopIteration:
        pass
    except Broken as broken:
        found.broken = broken
    except TargetError as error:
        found.broken = Broken(f"no further connection: {error.message}")
    except NotApplicable as absent:
        found.absent = str(absent)


def _next_step(dialogue: Dialogue, received: Received | None) -> Step:
    """Return the next step of a dialogue. Raises Broken if a part it needs is not in the answer."""
    try:
        return dialogue.send(received)
    except (LookupError, ValueError) as error:
        raise Broken(f"something is missing in the answer: {error!r}") from error


class Table:
    """The place of a dialogue: its connection, those beside it, and the brokers it has ended."""

    def __init__(self, endpoint: Peer, control: Control | None, found: Exchange) -> None:
        self.endpoint = endpoint
        self.control = control
        self.found = found
        self.name = ""

    def __enter__(self) -> Self:
        self.kept = ExitStack()
        self.lines: dict[str, tuple[ExitStack, Line]] = {}
        self.connect()
        return self

    def __exit__(self, *error: object) -> None:
        self.kept.close()

    @property
    def line(self) -> Line:
        """The connection that the dialogue goes on with."""
        return self.lines[self.name][1]

    def connect(self, who: Who = "self", node: int | None = None) -> None:
        """Go on with a fresh connection, and leave the one that had this name."""
        self.leave()
        self.go_on_with(self.endpoint.connect(who, node))

    def reconnect(self, who: Who = "self", node: int | None = None) -> None:
        """Connect; that no broker is at the address of a node has a rule of its own."""
        try:
            self.connect(who, node)
        except TargetError as error:
            if node is None:
                raise
            why = f"no further connection: {error.message}"
            raise Broken(why, judged_by="metadata.listed-address-answers") from error

    def leave(self) -> None:
        """Leave the connection of this name, if there is one."""
        if self.name in self.lines:
            self.lines[self.name][0].close()

    def follow(self, host: str, port: int) -> Received | None:
        """Go on with a connection to an address; return why there is none, where there is none."""
        self.leave()
        try:
            self.go_on_with(self.endpoint.follow(host, port))
        except TargetError as error:
            return Received("closed", text=error.message)
        return None

    def go_on_with(self, line: Line) -> None:
        """Have a connection under this name."""
        open_ = self.kept.enter_context(ExitStack())
        self.lines[self.name] = open_, open_.enter_context(line)

    def take(self, step: Step) -> Received | None:
        """Do one step of a dialogue."""
        match step:
            case Send(data, pieces, gap_s):
                self.found.api_keys.add(int.from_bytes(data[4:6], "big"))
                self.found.sent += data[: MOST_SHOWN_BYTES - len(self.found.sent)]
                self.found.asked, self.found.answer = data[:MOST_SHOWN_BYTES], b""
                self.line.send(data, pieces, gap_s)
            case Receive(patience_s):
                return self.hear(patience_s)
            case Stop(node):
                assert self.control is not None
                self.control.stop(node)
                self.kept.callback(self.control.start, node)
            case Tell(text):
                self.found.told = text
            case Follow(host, port):
                return self.follow(host, port)
            case _:
                self.arrange(step)
        return None

    def hear(self, patience_s: float | None) -> Received:
        """Wait for a frame, and keep what came."""
        found, received = self.found, self.line.hear(patience_s)
        found.last = received
        found.answer = found.answer or received.frame[:MOST_SHOWN_BYTES]
        if received.kind == "reply":
            found.heard[received.frame] = found.asked
        return received

    def arrange(self, step: Step) -> None:
        """Open, change or end connections."""
        match step:
            case Reconnect(who, node):
                self.reconnect(who, node)
            case Switch(name, node):
                self.name = name
                if name not in self.lines:
                    self.reconnect(node=node)
            case Finish():
                self.line.finish()
            case Reset():
                self.line.reset()
            case OpenConnections(number, sent):
                self.found.sent += sent[: MOST_SHOWN_BYTES - len(self.found.sent)]
                for _ in range(number):
                    self.kept.enter_context(self.endpoint.connect("nobody")).send(sent)
