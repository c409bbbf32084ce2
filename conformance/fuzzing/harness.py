"""One execution: the target reads an input, and what it did is held against what can be known fast.

Suspicious are

    errors that no caller is meant to catch, or to the reference codec any but its own;
    time and memory out of proportion to the input;
    a value other than the reference codec's, or one where all oracles refuse;
    a refusal of what the strict reference codec reads;
    a value that, written and read again, is another.

An oracle may take longer than the target itself. So it is asked of every input that stays in the
corpus, of those that were made to be looked at closely, and of a sample of the others: the same
bytes come many times in many forms. A suspicion is a hint to look closer, no more.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

from conformance.codecs.cases.known_definitions import codec_of
from conformance.codecs.judge.compare import value_difference
from conformance.fuzzing.inputs import HEAD_BYTES, InputSubject, split
from conformance.fuzzing.mutator import Made
from conformance.reference.codec import PlainCodec
from conformance.testee_protocol import Hello, Op, Request, Value
from conformance.wire.errors import WireError
from conformance.wire.lenient import Lenient

SLOW, MEMORY = "slow", "memory"
COSTS = (SLOW, MEMORY)
"""Why an input is suspicious that took more time or memory than it should."""
SLOW_S = 1.0
MOST_GROWN_KIB = 64 * 1024
"""Memory that one execution may add to the most that the process ever had."""
ONE_IN = 16
"""Of so many accepted inputs one is looked at closely, and so are the first of each message."""
REFUSALS_ONE_IN = 64
"""One in so many refused inputs is looked at closely."""
SURELY = 4
UNDER_SUSPICION_S = 0.001
"""Allocating much memory takes time: below this limit memory is not measured."""
NOT_CAUGHT = (MemoryError, RecursionError, SystemError, AssertionError)


class Decoding(Protocol):
    """A codec as far as it is fuzzed (docs/testee-protocol.md, A Python object)."""

    decode: Callable[[str, int, bytes], tuple[Value, int | None]]
    encode: Callable[[str, int, Value], bytes]
    roundtrip: Callable[[str, int, bytes], bytes]
    decode_request: Callable[[bytes], Any]
    decode_response: Callable[[str, int, bytes], Any]


Suspect = Callable[[str, bytes], None]
"""Told why, in words that are the same for the same cause, and the input."""
Read = tuple[list[Value], int | None]
"""Values, a frame's header first, and how many bytes are left, None where the codec can't tell."""
Reached = Callable[[InputSubject, Value], None]
"""Called with a value that the target read."""


class Harness:
    """Executes inputs on a codec. `own_errors` are those that it may raise; () for any.

    Of `one_in` accepted inputs one is looked at closely.
    """

    def __init__(
        self,
        codec: Decoding,
        hello: Hello,
        suspect: Suspect,
        reached: Reached,
        own_errors: tuple[type[Exception], ...] = (),
        oracle: PlainCodec | None = None,
        one_in: int = ONE_IN,
        reached_one_in: int = ONE_IN,
    ) -> None:
        self._codec = codec
        self._hello = hello
        self._suspect = suspect
        self._reached = reached
        self._own_errors = own_errors
        self._oracle = oracle or codec_of(hello)
        self._one_in = one_in
        self._reached_one_in = reached_one_in
        self._bodies: dict[bytes, InputSubject | None] = {}
        self._supported: dict[InputSubject, bool] = {}
        self._accepted: Counter[InputSubject] = Counter()
        self._refusals: Counter[InputSubject] = Counter()
        self._expected: Made | None = None
        self._most_kib = _most_kib()

    def expect(self, made: Made) -> None:
        """Set the expected outcome of the input that is executed next."""
        self._expected = made

    def execute(self, data: bytes, closely: bool = False) -> None:
        """Execute one input. Never raises but for what ends the process."""
        expected, self._expected = self._expected, None
        if expected is not None and expected.data != data:
            expected = None
        head = data[:HEAD_BYTES]
        subject = self._bodies[head] if head in self._bodies else self._subject(head, data)
        if subject is None:
            return
        body = data[HEAD_BYTES:]
        began = time.perf_counter()
        try:
            read: Read | Exception = self._read(subject, body)
        except Exception as error:
            read = error
        took_s = time.perf_counter() - began
        if took_s > UNDER_SUSPICION_S:
            self._look_at_costs(took_s, data)
        if not isinstance(read, Exception):
            self._took(subject, body, data, read, expected, closely)
        elif isinstance(read, NOT_CAUGHT) or not isinstance(read, self._own_errors or Exception):
            self._suspect(f"{type(read).__name__} from {_origin(read)}", data)
        elif closely or self._is_looked_at(self._refusals, subject, REFUSALS_ONE_IN, expected):
            self._refused(subject, body, data, read)

    def _subject(self, head: bytes, data: bytes) -> InputSubject | None:
        """Return the subject of an input, if the codec has it. A body's is in its head."""
        parted = split(data)
        if parted is None:
            return None
        subject = parted[0]
        known = self._supported.get(subject)
        if known is None:
            known = self._supported[subject] = self._hello.supports(subject.request(b""))
        found = subject if known else None
        if not subject.framed:
            self._bodies[head] = found
        return found

    def _is_looked_at(
        self,
        counts: Counter[InputSubject],
        subject: InputSubject,
        one_in: int,
        expected: Made | None,
    ) -> bool:
        """True if an outcome is checked closely: it was not expected, or it is in the sample."""
        counts[subject] += 1
        if expected is not None and expected.value is not None:
            return True
        return counts[subject] < SURELY or counts[subject] % one_in == 0

    def _read(self, subject: InputSubject, body: bytes) -> Read:
        """The target's values of a body, or of a frame's header and body."""
        if not subject.framed:
            value, left = self._codec.decode(subject.message, subject.version, body)
            return [value], left
        if subject.op == "decode-request":
            header, value, left, *_ = self._codec.decode_request(body)
        else:
            answer = self._codec.decode_response(subject.message, subject.version, body)
            header, value, left, *_ = answer
        return [header, value], left

    def _refused(self, subject: InputSubject, body: bytes, data: bytes, error: Exception) -> None:
        """Suspect a refusal of bytes that every codec reads."""
        due = self._oracle_reads(subject, body)
        if due is not None and due[1] == 0:
            self._suspect(f"refused: {type(error).__name__} from {_origin(error)}", data)

    def _took(
        self,
        subject: InputSubject,
        body: bytes,
        data: bytes,
        read: Read,
        expected: Made | None,
        closely: bool,
    ) -> None:
        self._accepted[subject] += 1
        number = self._accepted[subject]
        if number % self._reached_one_in == 0:
            self._reached(subject, read[0][-1])
        if expected is not None and expected.value is not None:
            closely = closely or read[0][-1] != expected.value
        elif expected is not None and expected.is_fault:
            closely = True
        if closely or number % self._one_in == 0 or number < SURELY:
            self._look_closely(subject, body, data, read)

    def _look_closely(self, subject: InputSubject, body: bytes, data: bytes, read: Read) -> None:
        """Hold a value against the oracle's, and against itself when it is written again."""
        values, left = read
        due = self._oracle_reads(subject, body)
        if due is None:
            self._took_what_is_malformed(subject, body, data, values)
        elif due[0] != values or (left is not None and due[1] != left):
            differs = self._difference(subject, due[0], values)
            if differs:
                self._suspect(f"another value at {differs}", data)
            elif left is not None and due[1] != left:
                self._suspect(f"other bytes left of {subject.message}", data)
        if not subject.framed:
            self._write_again(subject, data, body, values[-1])

    def _oracle_reads(self, subject: InputSubject, body: bytes) -> tuple[list[Value], int] | None:
        """Return the values that the oracle reads, and how many bytes it leaves; None if it
        refuses.
        """
        values: list[Value] = []
        offset = 0
        try:
            for form in subject.forms(self._oracle):
                value, offset = self._oracle.read(form, body, offset)
                values.append(value)
        except WireError:
            return None
        return values, len(body) - offset

    def _difference(self, subject: InputSubject, due: list[Value], values: list[Value]) -> str:
        """Return the place of the first difference, without numbers; "" if the values agree."""
        keeps = self._hello.unknown_tags == "kept"
        for form, one, other in zip(subject.forms(self._oracle), due, values, strict=True):
            if differs := value_difference(form.layout, one, other, keeps):
                path = differs.partition(":")[0]
                return f"{form.message}.{''.join(c for c in path if not c.isdigit())}"
        return ""

    def _took_what_is_malformed(
        self, subject: InputSubject, body: bytes, data: bytes, values: list[Value]
    ) -> None:
        """A lenient reader may take it, and then to the same value."""
        reader = Lenient(body)
        try:
            due = [reader.struct(form.layout) for form in subject.forms(self._oracle)]
        except WireError as error:
            self._suspect(f"taken: {type(error).__name__} in {subject.message}", data)
            return
        if differs := self._difference(subject, due, values):
            self._suspect(f"another lenient value at {differs}", data)

    def _write_again(self, subject: InputSubject, data: bytes, body: bytes, value: Value) -> None:
        """Hold a value against what is read of it once it is written, by any writer that it has."""
        message, version = subject.message, subject.version
        try:
            if self._has("encode", subject):
                written = self._codec.encode(message, version, value)
            elif self._has("roundtrip", subject):
                written = self._codec.roundtrip(message, version, body)
            else:
                return
            again, _ = self._codec.decode(message, version, written)
        except NotImplementedError:
            return
        except Exception as error:
            self._suspect(f"not written again: {type(error).__name__}", data)
            return
        if again != value and self._difference(subject, [value], [again]):
            self._suspect(f"another value when written again: {message}", data)

    def _has(self, op: Op, subject: InputSubject) -> bool:
        return self._hello.supports(
            Request(op=op, message=subject.message, version=subject.version)
        )

    def _look_at_costs(self, took_s: float, data: bytes) -> None:
        if took_s > SLOW_S:
            self._suspect(SLOW, data)
        most = _most_kib()
        if most - self._most_kib > MOST_GROWN_KIB:
            self._suspect(MEMORY, data)
        self._most_kib = most


def _most_kib() -> int:
    """The most memory that this process ever had.

    Not what `getrusage` says: there a program begins with what its parent had.
    """
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def _origin(error: BaseException) -> str:
    """Return the innermost function that raised, as FILE:FUNCTION."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "nowhere"
    code = trace.tb_frame.f_code
    return f"{code.co_filename.rpartition('/')[2]}:{code.co_name}"
