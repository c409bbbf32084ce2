"""Does an adapter keep the testee protocol? Asked before any rule about Kafka is.

A codec that fails a rule is a finding; an adapter that fails here makes every finding doubtful. So
these checks are few, need no definitions, and each comes with what its author can do about it. The
messages that are asked about are those of `facts`, known to the byte without any codec.

What an object of this process can not get wrong (lines, ids, its end) is not asked of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from conformance.protocol import OPS, Op, Outcome, Request, Target
from conformance.targets.answers import Violation, outcome_of, parse, request_fields
from conformance.targets.errors import TargetError, shorten
from conformance.targets.facts import FACTS, Fact, is_framed
from conformance.targets.process import Ended, LineTooLong, Process, Silent
from conformance.targets.testee import Testee, last_words

_END_S = 5.0
_IN_FLIGHT = 8


@dataclass(frozen=True)
class Check:
    """One thing that an adapter does right or wrong. `remedy` is for where it is wrong.

    `skipped` says that it could not be looked at: `detail` tells why.
    """

    name: str
    state: Literal["ok", "failed", "skipped"]
    detail: str = ""
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong, as far as could be seen."""
        return self.state != "failed"


def smoke(target: Target) -> Iterator[Check]:
    """Check an adapter that answered hello. Raises TargetLost where it does not stay alive."""
    hello = target.hello
    yield Check(
        "hello",
        "ok",
        f"{hello.name} {hello.version}: {len(hello.messages)} messages, "
        f"{', '.join(op for op in OPS if op in hello.ops)}",
    )
    for op in OPS:
        if op in hello.ops:
            yield _known_message(target, op)
    yield from _garbage(target)
    if isinstance(target, Testee):
        yield from _line_checks(target)


def _declared(target: Target, op: Op) -> Iterator[Fact]:
    return (fact for fact in FACTS if fact.fits(op) and target.hello.supports(fact.request(op)))


def _known_message(target: Target, op: Op) -> Check:
    name = f"{op} of a known message"
    fact = next(_declared(target, op), None)
    if fact is None:
        return Check(name, "skipped", "none of the messages known here is declared for it")
    [outcome] = target.ask([fact.request(op)])
    what = f"{fact.message} v{fact.version}"
    if outcome.outcome != "value":
        return Check(name, "failed", f"{what}: {_described(outcome)}", "answer what hello declares")
    wrong = _difference(fact, op, outcome)
    if wrong:
        return Check(name, "failed", f"{what}: {wrong[0]}", wrong[1])
    return Check(name, "ok", what)


def _difference(fact: Fact, op: Op, outcome: Outcome) -> tuple[str, str] | None:
    """What is wrong with the outcome, and what to do about it."""
    framed = is_framed(op)
    if outcome.bytes is not None:
        due = fact.frame if framed else fact.body
        if outcome.bytes == due:
            return None
        return (
            f"{shorten(outcome.bytes.hex())} where {due.hex()} is due",
            "write the header and the message, without a length before them"
            if framed
            else "write the message alone: no length, no header",
        )
    if outcome.remaining:
        return (
            f"remaining is {outcome.remaining} at the end of the message",
            "count the bytes that were not decoded, or answer null where nobody can tell",
        )
    if framed and not _contains(outcome.header, fact.header):
        return (
            f"the header is {_shown(outcome.header)} where {_shown(fact.header)} is due",
            "use the field names of RequestHeader and ResponseHeader, in lowerCamelCase",
        )
    if not _contains(outcome.value, fact.value):
        return (
            f"the value is {_shown(outcome.value)} where {_shown(fact.value)} is due",
            "use the definitions' field names in lowerCamelCase; every field of the version is due",
        )
    return None


def _contains(got: Any, due: Any) -> bool:
    """Whether `got` is `due`, give or take further keys in its objects."""
    if isinstance(due, dict):
        return isinstance(got, dict) and all(
            key in got and _contains(got[key], value) for key, value in due.items()
        )
    if isinstance(due, list):
        return isinstance(got, list) and len(got) == len(due) and all(map(_contains, got, due))
    return type(got) is type(due) and bool(got == due)


def _garbage(target: Target) -> Iterator[Check]:
    """A message of which one byte came, then the whole of it: the first must do no harm.

    One byte, as codecs that take a cut string for a shorter one are for a rule to find.
    """
    name = "a message cut short is rejected"
    ops: tuple[Op, ...] = ("roundtrip", "decode")
    for op in ops:
        fact = next((fact for fact in _declared(target, op) if fact.body), None)
        if fact is None:
            continue
        whole = fact.request(op)
        short = msgspec.structs.replace(whole, bytes=whole.bytes[:1])
        first, second = target.ask([short, whole])
        if first.outcome != "rejected":
            remedy = 'answer {"id":…,"rejected":"text","error":"TypeName"} for any error'
            yield Check(name, "failed", f"{op} of {fact.message}: {_described(first)}", remedy)
        elif second.outcome != "value":
            remedy = "begin each request with a fresh state"
            yield Check(name, "failed", f"the message after it: {_described(second)}", remedy)
        else:
            yield Check(name, "ok", f"{first.error}: {shorten(first.text)}")
        return
    yield Check(name, "skipped", "no known message is declared for roundtrip or decode")


def _line_checks(target: Testee) -> Iterator[Check]:
    """What is seen on the lines alone, each in a process of its own."""
    for name, remedy, check in (
        (
            "an unknown op is unsupported",
            'answer any other op with {"id":…,"unsupported":"text"}',
            _unknown_op,
        ),
        ("unknown keys are ignored", "read the keys you know, and no others", _unknown_keys),
        (
            "answers keep the order and the ids of requests",
            "copy the request's id into its answer, and answer one request after another",
            _order,
        ),
        (
            "the end of stdin ends it with status 0",
            "leave the loop at the end of stdin and exit with 0; log to stderr, never to stdout",
            _end,
        ),
    ):
        yield _on_a_fresh_process(target, name, remedy, check)


class _Wrong(Exception):
    """What a check on lines found."""


def _on_a_fresh_process(
    target: Testee, name: str, remedy: str, check: Callable[[Testee, Process], str]
) -> Check:
    try:
        process, _ = target.start()
    except TargetError as error:
        return Check(name, "failed", error.message, error.hint)
    try:
        return Check(name, "ok", check(target, process))
    except (_Wrong, Violation) as wrong:
        return Check(name, "failed", f"{wrong}{last_words(process)}", remedy)
    except Ended as end:
        return Check(name, "failed", f"it {end.text}{last_words(process)}", remedy)
    except Silent:
        return Check(name, "failed", f"no answer within {target.timeout_s:g} s", remedy)
    except LineTooLong:
        return Check(name, "failed", "a line without end", remedy)
    finally:
        process.kill()


def _any_request(target: Target) -> Request:
    """Something that the target can answer; if no known message is, one that it may reject."""
    for op in OPS:
        for fact in _declared(target, op):
            return fact.request(op)
    return Request(op="roundtrip", message="ApiVersionsRequest", version=0)


def _send(process: Process, fields: dict[str, Any]) -> None:
    process.send(msgspec.json.encode(fields) + b"\n")


def _unknown_op(target: Testee, process: Process) -> str:
    _send(process, {"op": "no-such-op", "id": 41})
    answer = parse(process.receive(target.timeout_s))
    outcome = outcome_of(answer, Request(op="roundtrip"), 41)
    if outcome.outcome != "unsupported":
        raise _Wrong(_described(outcome))
    return ""


def _unknown_keys(target: Testee, process: Process) -> str:
    request = _any_request(target)
    plain = request_fields(request, 1)
    outcomes = []
    for fields in (plain, {"x-unknown": [1, {"y": None}], **plain}):
        _send(process, fields)
        outcomes.append(outcome_of(parse(process.receive(target.timeout_s)), request, 1))
    if outcomes[0] != outcomes[1]:
        raise _Wrong(f"{_described(outcomes[0])} becomes {_described(outcomes[1])}")
    return ""


def _order(target: Testee, process: Process) -> str:
    """As many requests as may be unanswered, with ids that can not be guessed from each other."""
    request = _any_request(target)
    ids = [2**53 - 1, 3, 2**31, 0, 17, 2**32 + 1, 5, 1][: max(2, min(target.hello.window, 8))]
    at_once = min(target.hello.window, _IN_FLIGHT)
    for start in range(0, len(ids), at_once):
        some = ids[start : start + at_once]
        for request_id in some:
            _send(process, request_fields(request, request_id))
        for request_id in some:
            outcome_of(parse(process.receive(target.timeout_s)), request, request_id)
    return f"{at_once} in flight"


def _end(_: Testee, process: Process) -> str:
    status = process.finish(_END_S)
    if status is None:
        raise _Wrong(f"it still runs {_END_S:g} s after the end of its stdin")
    if status != 0:
        raise _Wrong(f"it ended with status {status}")
    if process.leftover:
        raise _Wrong("it wrote to stdout what nobody had asked for")
    return ""


def _described(outcome: Outcome) -> str:
    said = outcome.text or (outcome.bytes.hex() if outcome.bytes is not None else "")
    said = said or (_shown(outcome.value) if outcome.value is not None else "")
    return f"{outcome.outcome}{f': {shorten(said)}' if said else ''}"


def _shown(value: Any) -> str:
    return shorten(msgspec.json.encode(value).decode())
