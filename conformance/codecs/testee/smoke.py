"""Does an adapter keep the testee protocol? Asked before any rule about Kafka is.

A codec that fails a rule is a finding; an adapter that fails here makes every finding doubtful. So
these checks are few, and each comes with what its author can do about it. The messages that are
asked about are those of `worked_examples`, known to the byte without any codec. Where none of them
is declared they are golden vectors, and one right answer is enough: a codec may be wrong in some.

A testee is asked line by line, in processes of its own, rather than as in a run: there an answer
that can not be read is an `error` and no more is said, here its cause is what matters. What an
object of this process can not get wrong (lines, ids, its end) is not asked of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from conformance.codecs.testee.answers import Violation, outcome_of, parse, request_fields
from conformance.codecs.testee.hello import LONGEST_WINDOW
from conformance.codecs.testee.mistakes import INT64_AS_TEXT, described, edge_remedy, mistake_in
from conformance.codecs.testee.not_json import doubled_key
from conformance.codecs.testee.testee import Testee, last_words, silence
from conformance.codecs.testee.worked_examples import FACTS, WorkedExample
from conformance.schema.releases import UNDEFINED, message_names, releases
from conformance.targets.errors import BadHello, TargetError, TargetNotStarted, did_you_mean
from conformance.targets.process import Ended, LineTooLong, Process, Silent
from conformance.testee_protocol import MAX_LINE_BYTES, OPS, Op, Outcome, Request, Target

if TYPE_CHECKING:
    from conformance.codecs.testee.edge_values import Edge

_END_S = 5.0
_FEWEST_IDS = 8
_LONG_LINE_BYTES = MAX_LINE_BYTES - 1024
_MOST_SILENCES = 2

_REJECT = 'catch the error and answer {"id":…,"rejected":"text","error":"TypeName"}'
_STAY = f"go on after an error, whatever it was: {_REJECT}"


@dataclass(frozen=True)
class Check:
    """One thing that an adapter does right or wrong. `remedy` is for where it is wrong.

    `skipped` says that it could not be looked at: `detail` tells why. `note` is allowed, and
    probably not what was meant.
    """

    name: str
    state: Literal["ok", "failed", "skipped", "note"]
    detail: str = ""
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong, as far as could be seen."""
        return self.state != "failed"


class _Wrong(Exception):
    """What a check found."""

    def __init__(self, detail: str, remedy: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.remedy = remedy


class _Skipped(Exception):
    """Why a check was not made."""


def smoke(target: Target) -> Iterator[Check]:
    """Check an adapter that answered hello."""
    yield from _hello(target)
    asking = _Lines(target) if isinstance(target, Testee) else _Object(target)
    try:
        for op in OPS:
            if op in target.hello.ops:
                yield _check(f"{op} of a known message", partial(_known, target, asking, op))
        yield from _int64_form(target, asking)
        yield from _edges(target, asking)
        yield _check("remaining is counted", partial(_remaining, target, asking))
        yield _check("a message cut short is rejected", partial(_cut_short, target, asking))
        yield _check("a wrong value does not end it", partial(_wrong_value, target, asking))
    finally:
        asking.close()
    if isinstance(target, Testee):
        for name, check in _LINE_CHECKS:
            yield _check(name, partial(_on_a_fresh_process, target, check))


def refused(error: TargetError) -> Check:
    """The check that failed where there is no target to ask, as it could not say hello."""
    if not isinstance(error, BadHello | TargetNotStarted):
        raise error
    return Check("hello", "failed", error.message, error.hint)


def _check(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, "ok", check())
    except _Wrong as wrong:
        return Check(name, "failed", wrong.detail, wrong.remedy)
    except _Skipped as skipped:
        return Check(name, "skipped", str(skipped))


def _hello(target: Target) -> Iterator[Check]:
    hello = target.hello
    ops = ", ".join(op for op in OPS if op in hello.ops)
    introduced = f"{hello.name} {hello.version}: {len(hello.messages)} messages, {ops}"
    yield Check("hello", "ok", introduced)
    yield _message_names(target)
    if hello.window >= LONGEST_WINDOW:
        yield Check(
            "window",
            "note",
            f"{LONGEST_WINDOW} or more",
            f"no more than {LONGEST_WINDOW} requests are ever left unanswered; 64 are plenty",
        )


def _message_names(target: Target) -> Check:
    """A name that nobody knows, and that looks like one that is known, is a slip."""
    name = "messages have the definitions' names"
    known = message_names(target.hello.definitions)
    unknown = sorted(target.hello.messages.keys() - {*known, *UNDEFINED})
    for given in unknown:
        near = [f"{given}{end}" for end in ("Request", "Response")]
        likely = " and ".join(each for each in near if each in known)
        hint = f"name each direction: {likely}" if likely else did_you_mean(given, known)
        if hint and target.hello.definitions in ("", *releases()):
            return Check(name, "failed", f"there is no message {given}", hint)
    if unknown:
        listed = ", ".join(unknown)
        return Check(name, "note", f"not stored here: {listed}", "no case asks about these")
    return Check(name, "ok")


# Asking


class _Asking(Protocol):
    """A way to ask for one thing. Raises _Wrong for what is no answer."""

    def __call__(self, request: Request) -> Outcome: ...

    def close(self) -> None: ...


class _Object:
    """Asks an object of this process, which can not be silent or end."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def __call__(self, request: Request) -> Outcome:
        [outcome] = self._target.ask([request])
        if outcome.outcome == "error":
            raise _Wrong(outcome.text, "return what the codec object's method is to return")
        return outcome

    def close(self) -> None:
        pass


class _Lines:
    """Asks a testee in a process that is replaced after whatever was no answer."""

    def __init__(self, target: Testee) -> None:
        self._target = target
        self._process: Process | None = None
        self._last_id = 0
        self._silences = 0

    def __call__(self, request: Request) -> Outcome:
        if self._silences >= _MOST_SILENCES:
            raise _Skipped("not asked: it stayed silent before")
        if self._process is None:
            self._process = _started(self._target)
        self._last_id += 1
        fields = request_fields(request, self._last_id)
        try:
            [outcome] = _ask(self._target, self._process, [fields], request)
        except _Wrong as wrong:
            self._silences += isinstance(wrong.__cause__, Silent)
            self.close()
            raise
        return outcome

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None


def _started(target: Testee) -> Process:
    try:
        return target.start()[0]
    except TargetError as error:
        raise _Wrong(f"it can not be started again: {error.message}", error.hint) from error


def _ask(
    target: Testee, process: Process, lines: Sequence[dict[str, Any]], request: Request
) -> list[Outcome]:
    """Send all `lines`, which ask for `request` under ids of their own, then read the answers."""
    process.send(b"".join(msgspec.json.encode(fields) + b"\n" for fields in lines))
    return [_receive(target, process, request, fields["id"]) for fields in lines]


def _receive(target: Testee, process: Process, request: Request, request_id: int) -> Outcome:
    try:
        line = process.receive(target.timeout_s)
        outcome = outcome_of(parse(line), request, request_id)
    except Violation as violation:
        remedy = violation.remedy
        raise _Wrong(f"{violation}{last_words(process)}", remedy) from violation
    except Ended as end:
        raise _Wrong(f"it {end.text}{last_words(process)}", _STAY) from end
    except Silent as silent:
        why, remedy = silence(process)
        detail = f"no answer within {target.timeout_s:g} s: {why}{last_words(process)}"
        raise _Wrong(detail, remedy) from silent
    except LineTooLong as long:
        raise _Wrong("a line without end", "end each answer with \\n") from long
    twice = doubled_key(line)
    if twice:
        raise _Wrong(f"an object has the key {twice!r} twice", "write each key of an object once")
    return outcome


def _declared(target: Target, op: Op) -> Iterator[WorkedExample]:
    if _has_worked(target):
        return _of(FACTS, target, op)
    from conformance.codecs.testee.known_vectors import vectors_for  # loads all definitions

    return _of(vectors_for(target.hello), target, op)


def _with_body(target: Target, asking: _Asking, op: Op) -> WorkedExample | None:
    """A message of some bytes, of vectors one that is read."""
    facts = (fact for fact in _declared(target, op) if fact.body)
    if not _has_worked(target):
        facts = (fact for fact in facts if asking(fact.request(op)).outcome == "value")
    return next(facts, None)


def _of(facts: Iterable[WorkedExample], target: Target, op: Op) -> Iterator[WorkedExample]:
    return (fact for fact in facts if fact.fits(op) and target.hello.supports(fact.request(op)))


def _has_worked(target: Target) -> bool:
    """Whether it declares a message that was worked out by hand."""
    return any(any(_of(FACTS, target, op)) for op in OPS)


def _request(target: Target, fact: WorkedExample, op: Op) -> Request:
    return fact.request(op, int64_as_text=target.hello.int64 == "string")


# What is asked of any target


def _known(target: Target, asking: _Asking, op: Op) -> str:
    asked = []
    first: _Wrong | None = None
    for fact in _declared(target, op):
        try:
            asked.append(_right(target, asking, op, fact))
        except _Wrong as wrong:
            if _has_worked(target):
                raise
            first = first or wrong
    if first and not asked:
        raise first
    if not asked:
        raise _Skipped("none of the messages known here is declared for it")
    return ", ".join(asked)


def _right(target: Target, asking: _Asking, op: Op, fact: WorkedExample) -> str:
    """The message, in words. Raises _Wrong where the answer is not right."""
    what = f"{fact.message} v{fact.version}"
    try:
        outcome = asking(_request(target, fact, op))
    except _Wrong as wrong:
        raise _Wrong(f"{what}: {wrong.detail}", wrong.remedy) from wrong
    mistake = mistake_in(fact, op, outcome)
    if mistake:
        raise _Wrong(f"{what}: {mistake.what}", mistake.remedy)
    return what


def _int64_form(target: Target, asking: _Asking) -> Iterator[Check]:
    """Strings where numbers are declared are read all the same, but hint at numbers refused."""
    facts = (fact for fact in _declared(target, "decode") if "int64" in fact.kinds.values())
    fact = next(facts, None)
    if fact is None or target.hello.int64 == "string":
        return
    try:
        value = asking(fact.request("decode")).value
    except (_Wrong, _Skipped):
        return  # told by the check before
    texts = [name for name in fact.kinds if isinstance((value or {}).get(name), str)]
    if texts:
        detail = f"{fact.message} v{fact.version}: {texts[0]} is a string"
        yield Check("64-bit integers as declared", "note", detail, INT64_AS_TEXT)


def _edges(target: Target, asking: _Asking) -> Iterator[Check]:
    """Values at the edges of their types. What an adapter can lose by itself is its mistake."""
    from conformance.codecs.testee.edge_values import EDGES  # loads all definitions

    for edge in EDGES:
        name = f"{edge.name} comes through"
        check = _check(name, partial(_edge, target, asking, edge))
        if check.state == "failed" and edge.kind != "int64":
            yield Check(name, "note", check.detail, check.remedy)
        elif check.state != "skipped":
            yield check


def _edge(target: Target, asking: _Asking, edge: Edge) -> str:
    from conformance.codecs.cases.values.int64 import int64_as_text
    from conformance.codecs.judge.judge import judge_case
    from conformance.codecs.testee.edge_values import edge_cases

    asked = []
    for case in edge_cases(target.hello, edge):
        request, what = case.request, f"{case.request.message} v{case.request.version}"
        if request.value is not None and target.hello.int64 == "string":
            value = int64_as_text(target.hello, request.message, request.version, request.value)
            request = msgspec.structs.replace(request, value=value)
        judged = judge_case(case, asking(request))
        if judged.verdict == "fail":
            said = ": ".join(filter(None, (judged.detail, judged.first_difference)))
            raise _Wrong(f"{request.op} of {what}: {said}", edge_remedy(edge.kind))
        asked.append(what)
    if not asked:
        raise _Skipped("no message that is declared has one")
    return asked[0]


def _remaining(target: Target, asking: _Asking) -> str:
    """Two bytes behind a message: counted, refused, or beyond what the codec can tell."""
    fact = _with_body(target, asking, "decode")
    if fact is None:
        raise _Skipped("no known message is declared for decode")
    whole = fact.request("decode")
    outcome = asking(msgspec.structs.replace(whole, bytes=whole.bytes + b"\xff\xff"))
    if outcome.outcome == "value" and outcome.remaining not in (None, 2):
        raise _Wrong(
            f"{fact.message} v{fact.version} and 2 bytes more: remaining is {outcome.remaining}",
            "count the bytes that were not decoded, or answer null where nobody can tell",
        )
    return "null" if outcome.outcome == "value" and outcome.remaining is None else ""


def _cut_short(target: Target, asking: _Asking) -> str:
    """A message of which one byte came, then the whole of it: the first must do no harm.

    One byte, as codecs that take a cut string for a shorter one are for a rule to find.
    """
    ops: tuple[Op, ...] = ("roundtrip", "decode")
    for op in ops:
        fact = _with_body(target, asking, op)
        if fact is None:
            continue
        whole = fact.request(op)
        first = asking(msgspec.structs.replace(whole, bytes=whole.bytes[:1]))
        if first.outcome != "rejected":
            raise _Wrong(f"{op} of {fact.message}: {described(first)}", f"decode it, and {_REJECT}")
        second = asking(whole)
        if second.outcome != "value":
            what = f"the message after it: {described(second)}"
            raise _Wrong(what, "begin each request with a fresh state")
        return described(first)
    raise _Skipped("no known message is declared for roundtrip or decode")


def _wrong_value(target: Target, asking: _Asking) -> str:
    """A value whose every field is an object: whatever it is taken for, an answer is due."""
    fact = next((fact for fact in _declared(target, "encode") if fact.value), None)
    if fact is None:
        raise _Skipped("no known message is declared for encode")
    request = fact.request("encode")
    value = {name: {"x": 1} for name in fact.value}
    outcome = asking(msgspec.structs.replace(request, value=value))
    return described(outcome)


# What is seen on lines alone


def _on_a_fresh_process(target: Testee, check: Callable[[Testee, Process], str]) -> str:
    process = _started(target)
    try:
        return check(target, process)
    finally:
        process.kill()


def _any_request(target: Target) -> Request:
    """Something that the target can answer; if no known message is, one that it may reject."""
    for op in OPS:
        for fact in _declared(target, op):
            return _request(target, fact, op)
    return Request(op="roundtrip", message="ApiVersionsRequest", version=0)


def _unknown_op(target: Testee, process: Process) -> str:
    remedy = 'answer any other op with {"id":…,"unsupported":"text"}'
    try:
        [outcome] = _ask(target, process, [{"op": "no-such-op", "id": 41}], _any_request(target))
    except _Wrong as wrong:
        raise _Wrong(wrong.detail, remedy) from wrong
    if outcome.outcome != "unsupported":
        raise _Wrong(described(outcome), remedy)
    return ""


def _with_key(target: Testee, process: Process, more: dict[str, Any], remedy: str) -> None:
    """The same request with and without a key that nobody knows: the answer is the same."""
    request = _any_request(target)
    plain = request_fields(request, 1)
    [before] = _ask(target, process, [plain], request)
    try:
        [after] = _ask(target, process, [{**more, **plain, "id": 2}], request)
    except _Wrong as wrong:
        raise _Wrong(wrong.detail, remedy) from wrong
    before, after = (msgspec.structs.replace(each, allocated=None) for each in (before, after))
    if before != after:
        raise _Wrong(f"{described(before)} becomes {described(after)}", remedy)


def _unknown_keys(target: Testee, process: Process) -> str:
    remedy = "read the keys that you know, and no others"
    _with_key(target, process, {"x-unknown": [1, {"y": None}]}, remedy)
    return ""


def _any_text(target: Testee, process: Process) -> str:
    """Characters that some languages end a line at, and one outside of 16 bits."""
    remedy = "read and write UTF-8, and end a line at \\n only: not at U+2028, U+2029 or U+0085"
    _with_key(target, process, {"x-text": "a\u2028b\u2029c\u0085d é 🂡"}, remedy)
    return ""


def _long_line(target: Testee, process: Process) -> str:
    remedy = "raise the limit of what reads the lines: they may reach 16 MiB"
    _with_key(target, process, {"x-long": "x" * _LONG_LINE_BYTES}, remedy)
    return ""


def _order(target: Testee, process: Process) -> str:
    """As many requests as may be unanswered, with ids that can not be guessed from each other.

    The second time the first is the longest: one that answers whenever it is done is late with it.
    """
    request = _any_request(target)
    at_once = min(target.hello.window, LONGEST_WINDOW)
    ids = [2**53 - 1, 3, 2**31, 0, 17, 2**32 + 1, 5, 1, *range(100, 100 + at_once - _FEWEST_IDS)]
    starts = range(0, len(ids), at_once)
    for start, more in (
        (start, more) for more in ({}, {"x-long": "x" * 100_000}) for start in starts
    ):
        lines = [request_fields(request, each) for each in ids[start : start + at_once]]
        lines[0] = {**more, **lines[0]}
        try:
            _ask(target, process, lines, request)
        except _Wrong as wrong:
            if not isinstance(wrong.__cause__, Silent):
                raise
            remedy = (
                f'read line by line: "window":{target.hello.window} lets {at_once} requests come '
                'at once; if that can not be, declare "window":1'
            )
            raise _Wrong(wrong.detail, remedy) from wrong
    return f"{at_once} in flight"


def _end(_: Testee, process: Process) -> str:
    remedy = "leave the loop at the end of stdin and exit with 0; log to stderr, never to stdout"
    status = process.finish(_END_S)
    if status is None:
        raise _Wrong(f"it still runs {_END_S:g} s after the end of its stdin", remedy)
    if status != 0:
        raise _Wrong(f"it ended with status {status}{last_words(process)}", remedy)
    if process.leftover:
        raise _Wrong("it wrote to stdout what nobody had asked for", remedy)
    return ""


_LINE_CHECKS: tuple[tuple[str, Callable[[Testee, Process], str]], ...] = (
    ("an unknown op is unsupported", _unknown_op),
    ("unknown keys are ignored", _unknown_keys),
    ("a line is UTF-8 up to its \\n", _any_text),
    ("answers keep the order and the ids of requests", _order),
    ("a line of 16 MiB is read", _long_line),
    ("the end of stdin ends it with status 0", _end),
)
"""Each is made in a process of its own."""
