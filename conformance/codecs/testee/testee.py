"""A codec in a process of its own, asked over its stdin and stdout.

The process is expendable: whatever it does to itself costs it one outcome, never the run. Three
things can happen instead of an answer, and each is held against the oldest unanswered request:

    it ends, or stays silent too long    the request is asked again, alone, in a fresh process that
                                         has three times as long: an answer counts, a second death
                                         makes it crashed or hung;
                                         if it answers, those behind it are asked one by one. (The
                                         first that a fresh process is asked after such a death is
                                         alone already, and is not asked twice.)
    it writes what is no answer          the outcome `error`, as the streams are out of step
    a fresh process does not start       TargetLost

After each, a fresh process takes over and the other requests are sent again. A target may die of
one request after another, and a hunt for such requests must go on; so when five in a row have ended
in death, a request that it once answered decides whether it can still do anything at all. Five
violations in a row are a defect of the adapter, which no further request would make clearer.

An answer may have cost too much. `custody` looks at the process that gave it, and may want it given
again: by a fresh process, one request at a time, to see whose memory it was or whether an older
call's leak was to blame.

Requests are taken from their iterator only when the window has room for one: they may be endless,
and may depend on the outcomes so far.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from conformance.codecs.testee.answers import READS, Violation, outcome_of, parse, request_line
from conformance.codecs.testee.hello import HELLO_LINE, parse_hello
from conformance.codecs.testee.resource_monitor import ResourceMonitor
from conformance.targets.errors import TargetError, TargetLost, TargetNotStarted, shorten
from conformance.targets.process import Ended, LineTooLong, Process, Silent
from conformance.testee_protocol import MAX_LINE_BYTES, Hello, Kind, Outcome, Request

DEFAULT_TIMEOUT_S = 10.0
DEFAULT_STARTUP_TIMEOUT_S = 60.0
DEFAULT_MEMORY_MIB = 2048
CLOSE_GRACE_S = 2.0
"""The seconds that a program may take to end after its stdin ended."""
ALONE = 3
"""The factor by which a fresh process may take longer for a request that it is asked alone."""
MOST_IN_A_ROW = 5
"""Violations, or requests that end the process, before the target is given up or tried."""
_UNSENT_BYTES = 1024 * 1024
"""Bytes waiting to be written beyond which no further request is taken."""

PrepareValue = Callable[[str, int, Any], Any]
"""Turns a value of (message, version) into one whose 64-bit integers are decimal strings."""


class Testee:
    """A `Target` that is a program. Started at once; `close` ends it and all that it started."""

    __test__ = False  # not a test, whatever its name begins with

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        startup_timeout_s: float = DEFAULT_STARTUP_TIMEOUT_S,
        memory_mib: int | None = DEFAULT_MEMORY_MIB,
        prepare_value: PrepareValue | None = None,
    ) -> None:
        """Start `command`; `timeout_s` is for one answer, `startup_timeout_s` for hello.

        What takes longer is asked again alone, with three times as long, before it is called hung.

        `memory_mib` limits the program's data segment, None leaves it alone. `prepare_value` is
        used for targets whose hello says `"int64":"string"`. Raises CommandNotFound,
        TargetNotStarted and BadHello.
        """
        self.command = tuple(command)
        self.timeout_s = timeout_s
        self._startup_timeout_s = startup_timeout_s
        self._cwd = cwd
        self._env = env
        self._memory_mib = memory_mib
        self._prepare_value = prepare_value
        self._process: Process | None = None
        self._unanswered: deque[tuple[int, Request]] = deque()
        self._last_id = 0
        self._violations = 0
        self._deaths = 0
        self._answers = 0
        """The number of answers of the current process."""
        self._once_answered: Request | None = None
        self._harmless: Request | None = None
        self._one_by_one = 0
        self._asking = False
        self._closed = False
        self.meanwhile: Callable[[], bool] = bool
        """The function called while an answer is awaited; it returns True if it did anything."""
        self._process, self.hello = self.start()
        self._custody = ResourceMonitor(self._process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The id of the process that answers now, and of its group."""
        return None if self._process is None else self._process.pid

    @property
    def notes(self) -> list[str]:
        """Return what its processes did that no answer shows, a line each."""
        return self._custody.notes()

    def ask(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        """Answer each request, in order. Raises TargetLost. One call at a time."""
        if self._asking or self._closed:
            raise RuntimeError("the target is closed, or being asked already")
        self._asking = True
        waiting: deque[Request] = deque()
        source = iter(requests)
        try:
            while self._fill(waiting, source):
                outcome = self._outcome(waiting[0])
                waiting.popleft()
                yield outcome
        finally:
            self._asking = False
            self._one_by_one = 0
            if self._unanswered:  # their answers would be taken for those of the next call
                self._drop()

    def start(self) -> tuple[Process, Hello]:
        """Start another process of this target and greet it."""
        process = Process(self.command, cwd=self._cwd, env=self._env, memory_mib=self._memory_mib)
        try:
            process.send(HELLO_LINE)
            hello = parse_hello(self._receive_hello(process))
        except BaseException:
            process.kill()
            raise
        return process, hello

    def close(self) -> None:
        """End the program, by the end of its stdin if it heeds that, and whatever it started."""
        self._closed = True
        process, self._process = self._process, None
        self._unanswered.clear()
        if process is not None:
            self._custody.end()
            process.close(CLOSE_GRACE_S)

    def _receive_hello(self, process: Process) -> bytes:
        what = shorten(" ".join(self.command))
        try:
            return process.receive(self._startup_timeout_s, self.meanwhile)
        except Ended as end:
            raise TargetNotStarted(
                f"{what} {end.text} before it answered hello{last_words(process)}",
                'it must answer {"op":"hello","protocol":1} with one line, then wait for more',
            ) from None
        except Silent:
            why, remedy = silence(process)
            raise TargetNotStarted(
                f"{what} did not answer hello within {self._startup_timeout_s:g} s: {why}"
                f"{last_words(process)}",
                remedy,
            ) from None
        except LineTooLong:
            raise TargetNotStarted(
                f"{what} answered hello with more than {MAX_LINE_BYTES} bytes without a newline",
                "stdout carries one JSON object a line and nothing else",
            ) from None

    def _fill(self, waiting: deque[Request], source: Iterator[Request]) -> bool:
        """Send what a lost process took with it, then new requests; False when none is left."""
        window = 1 if self._one_by_one else self.hello.window
        while not self._unanswered or self._unsent() < _UNSENT_BYTES:
            sent = len(self._unanswered)
            if sent >= window:
                break
            if sent == len(waiting):
                try:
                    waiting.append(next(source))
                except StopIteration:
                    break
            self._send(waiting[sent])
        return bool(waiting)

    def _outcome(self, oldest: Request) -> Outcome:
        """Return the outcome of the oldest unanswered request."""
        behind = len(self._unanswered) - 1
        alone = self._one_by_one > 0
        proven = self._deaths > 0 and self._answers == 0 and not behind
        self._one_by_one = max(0, self._one_by_one - 1)
        try:
            outcome = self._answer(alone=proven)
        except Violation as violation:
            return self._violated(violation)
        except (Ended, Silent) as end:
            if proven:
                return self._died(end)
            self._drop()
            if not alone:
                self._one_by_one = behind
            return self._outcome_alone(oldest)
        return self._in_custody(outcome, oldest, alone)

    def _in_custody(self, outcome: Outcome, request: Request, alone: bool) -> Outcome:
        """Return an answer after a check of what it cost."""
        behind = self._unanswered
        match self._custody.judge(outcome, request, behind, alone):
            case "again":
                self._one_by_one = 1 + len(behind)
                self._restart()
                self._send(request)
                return self._outcome(request)
            case "alone":
                self._drop()
                fresh = self._outcome_alone(request)
                self._custody.compare(outcome, fresh)
                return fresh
            case "restart":
                self._drop()
            case int(allocated):
                self._restart()  # the peak of this one would hide the next rise
                return msgspec.structs.replace(outcome, allocated=allocated)
            case _:
                self._harmless = self._harmless or request
        return outcome

    def _outcome_alone(self, request: Request) -> Outcome:
        """Return the outcome of `request` in a fresh process; drop the process if it ended."""
        self._send(request)
        try:
            outcome = self._answer(alone=True)
        except Violation as violation:
            return self._violated(violation)
        except (Ended, Silent) as end:
            return self._died(end)
        self._custody.settle()
        return outcome

    def _died(self, end: Ended | Silent) -> Outcome:
        """Return the outcome of a request that was asked alone and that its process did not
        survive.

        The next one is asked alone as well, which saves a start if one death follows another.
        """
        kind: Kind = "crashed" if isinstance(end, Ended) else "hung"
        late = f"no answer within {self.timeout_s * ALONE:g} s, asked alone"
        text = end.text if isinstance(end, Ended) else late
        error = end.error if isinstance(end, Ended) else ""
        ended = isinstance(end, Ended)
        outcome = Outcome(outcome=kind, text=text + self._said(), error=error, ended=ended)
        self._drop()
        self._one_by_one = 1
        self._deaths += 1
        if self._deaths >= MOST_IN_A_ROW:
            self._prove_alive(outcome)
        return outcome

    def _answer(self, alone: bool = False) -> Outcome:
        """The next answer. Raises Violation, Ended or Silent; the process is then of no use."""
        request_id, request = self._unanswered[0]
        try:
            line = self._alive().receive(self.timeout_s * (ALONE if alone else 1), self.meanwhile)
        except LineTooLong:
            raise Violation(f"more than {MAX_LINE_BYTES} bytes without a newline") from None
        outcome = outcome_of(parse(line), request, request_id)
        self._unanswered.popleft()
        self._violations = self._deaths = 0
        self._answers += 1
        self._once_answered = request
        return outcome

    def _violated(self, violation: Violation) -> Outcome:
        text = f"{violation}{self._said()}"
        self._drop()
        self._violations += 1
        if self._violations >= MOST_IN_A_ROW:
            raise TargetLost(
                f"{self._violations} answers in a row break the testee protocol, the last: {text}",
                "mend the adapter; `kafka-conformance smoke` checks it alone",
            )
        return Outcome(outcome="error", text=text)

    def _prove_alive(self, last: Outcome) -> None:
        """Check that the target still answers, after deaths in a row. Raises TargetLost."""
        lost = f"{self._deaths} requests in a row ended in {last.outcome}, the last: {last.text}"
        if self._once_answered is None:
            raise TargetLost(
                f"{lost}, and none was ever answered",
                "try the adapter alone: `kafka-conformance smoke`",
            )
        self._send(self._once_answered)
        try:
            self._answer(alone=True)
        except (Violation, Ended, Silent):
            raise TargetLost(
                f"{lost}, and a request that it once answered has no answer any more",
                "look for what changed outside of it: memory, disk, a service that it needs",
            ) from None

    def _restart(self) -> None:
        """Start another process, and have it make a harmless first call."""
        self._drop()
        if self._harmless is not None:
            self._send(self._harmless)
            try:
                self._answer()
            except (Violation, Ended, Silent):
                self._drop()
        self._alive()
        self._custody.settle()

    def _send(self, request: Request) -> None:
        process = self._alive()
        self._last_id += 1
        self._unanswered.append((self._last_id, request))
        if self.hello.int64 == "string" and self._prepare_value and request.op not in READS:
            value = self._prepare_value(request.message, request.version, request.value)
            request = msgspec.structs.replace(request, value=value)
        process.send(request_line(request, self._last_id))

    def _alive(self) -> Process:
        """Return the process that answers, a fresh one if none runs. Raises TargetLost."""
        if self._process is None:
            try:
                self._process, _ = self.start()
                self._custody.begin(self._process)
                self._answers = 0
            except TargetError as error:
                raise TargetLost(
                    f"it can not be started again: {error.message}", error.hint
                ) from None
        return self._process

    def _unsent(self) -> int:
        return 0 if self._process is None else self._process.unsent

    def _drop(self) -> None:
        """Kill the process; whatever it had not answered is to be sent again."""
        self._unanswered.clear()
        process, self._process = self._process, None
        if process is not None:
            self._custody.end()
            process.kill()

    def _said(self) -> str:
        return "" if self._process is None else last_words(self._process)


def silence(process: Process) -> tuple[str, str]:
    """Return the reason why a program did not answer in time, and the remedy; this ends its stdin.

    A program that holds its answers back writes them when its stdin ends.
    """
    unended = process.leftover
    if unended:
        return "a line came without its newline", "end each answer with \\n, then flush stdout"
    process.finish(CLOSE_GRACE_S)
    late = process.leftover
    if late:
        return (
            "it answered only when its stdin ended",
            "flush stdout after each answer, and read stdin line by line rather than to its end",
        )
    return (
        "nothing came",
        "answer each request with one line that ends with \\n, and flush stdout",
    )


def last_words(process: Process) -> str:
    """Return the signs of a crash and the end of stderr, to be appended to a message."""
    tail = process.stderr_tail()
    shown = process.crash_shown
    above = f": {shown}" if shown and shown not in tail else ""
    return f"{above}; its stderr ends with:\n{tail}" if tail else ""
