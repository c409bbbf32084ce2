"""Does an adapter keep the testee protocol? Asked before any rule about Kafka is.

A codec that fails a rule is a finding; an adapter that fails here makes every finding doubtful. So
these checks are few, and each comes with what its author can do about it. The messages that are
asked about are those of `worked_examples`, known to the byte without any codec. Where none of them
is declared they are golden vectors, and one right answer is enough: a codec may be wrong in some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import msgspec

from conformance.codecs.testee.asking import (
    REJECT,
    AskedLines,
    AskedObject,
    Asking,
    Skipped,
    Wrong,
    started,
)
from conformance.codecs.testee.hello import LONGEST_WINDOW
from conformance.codecs.testee.known_messages import declared, has_worked, request_of, with_body
from conformance.codecs.testee.line_checks import LINE_CHECKS
from conformance.codecs.testee.mistakes import INT64_AS_TEXT, described, edge_remedy, mistake_in
from conformance.codecs.testee.testee import Testee
from conformance.codecs.testee.worked_examples import WorkedExample
from conformance.results.text import counted
from conformance.schema.releases import UNDEFINED, message_names, releases
from conformance.targets.errors import BadHello, TargetError, TargetNotStarted, did_you_mean
from conformance.targets.process import Process
from conformance.testee_protocol import OPS, Op, Target

if TYPE_CHECKING:
    from conformance.codecs.testee.edge_values import Edge


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
        """True if nothing is wrong, as far as could be seen."""
        return self.state != "failed"


def smoke(target: Target) -> Iterator[Check]:
    """Check an adapter that answered hello."""
    yield from _hello(target)
    asking = AskedLines(target) if isinstance(target, Testee) else AskedObject(target)
    try:
        for op in OPS:
            if op in target.hello.ops:
                yield _check(f"{op} of a known message", partial(_known, target, asking, op))
        yield from _int64_form(target, asking)
        yield from _held_fields(target, asking)
        yield from _unread(target, asking)
        yield from _edges(target, asking)
        yield _check("remaining is counted", partial(_remaining, target, asking))
        yield _check("a message cut short is rejected", partial(_cut_short, target, asking))
        yield _check("a wrong value does not end it", partial(_wrong_value, target, asking))
    finally:
        asking.close()
    if isinstance(target, Testee):
        for name, check in LINE_CHECKS:
            yield _check(name, partial(_on_a_fresh_process, target, check))


def refused(error: TargetError) -> Check:
    """The check that failed where there is no target to ask, as it could not say hello."""
    if not isinstance(error, BadHello | TargetNotStarted):
        raise error
    return Check("hello", "failed", error.message, error.hint)


def _check(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, "ok", check())
    except Wrong as wrong:
        return Check(name, "failed", wrong.detail, wrong.remedy)
    except Skipped as skipped:
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
    """Check names: an unknown name that looks like a known one is a slip."""
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


# What is asked of any target


def _known(target: Target, asking: Asking, op: Op) -> str:
    asked = []
    first: Wrong | None = None
    for fact in declared(target, op):
        try:
            asked.append(_right(target, asking, op, fact))
        except Wrong as wrong:
            if has_worked(target):
                raise
            first = first or wrong
    if first and not asked:
        raise first
    if not asked:
        raise Skipped("none of the messages known here is declared for it")
    return ", ".join(asked)


def _right(target: Target, asking: Asking, op: Op, fact: WorkedExample) -> str:
    """The message, in words. Raises Wrong where the answer is not right."""
    what = f"{fact.message} v{fact.version}"
    try:
        outcome = asking(request_of(target, fact, op))
    except Wrong as wrong:
        raise Wrong(f"{what}: {wrong.detail}", wrong.remedy) from wrong
    mistake = mistake_in(fact, op, outcome)
    if mistake:
        raise Wrong(f"{what}: {mistake.what}", mistake.remedy)
    return what


def _int64_form(target: Target, asking: Asking) -> Iterator[Check]:
    """Strings where numbers are declared are read all the same, but hint at numbers refused."""
    facts = (fact for fact in declared(target, "decode") if "int64" in fact.kinds.values())
    fact = next(facts, None)
    if fact is None or target.hello.int64 == "string":
        return
    try:
        value = asking(fact.request("decode")).value
    except (Wrong, Skipped):
        return  # reported by the check before
    texts = [name for name in fact.kinds if isinstance((value or {}).get(name), str)]
    if texts:
        detail = f"{fact.message} v{fact.version}: {texts[0]} is a string"
        yield Check("64-bit integers as declared", "note", detail, INT64_AS_TEXT)


def _edges(target: Target, asking: Asking) -> Iterator[Check]:
    """Values at the edges of their types. What an adapter can lose by itself is its mistake."""
    from conformance.codecs.testee.edge_values import EDGES  # loads all definitions

    for edge in EDGES:
        name = f"{edge.name} comes through"
        check = _check(name, partial(_edge, target, asking, edge))
        if check.state == "failed" and edge.kind != "int64":
            yield Check(name, "note", check.detail, check.remedy)
        elif check.state != "skipped":
            yield check


def _edge(target: Target, asking: Asking, edge: Edge) -> str:
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
            raise Wrong(f"{request.op} of {what}: {said}", edge_remedy(edge.kind))
        asked.append(what)
    if not asked:
        raise Skipped("no message that is declared has one")
    return asked[0]


def _held_fields(target: Target, asking: Asking) -> Iterator[Check]:
    """A library that has no place for a field is no mistake of its adapter, and so a note."""
    from conformance.codecs.testee.held_fields import misheld  # loads all definitions

    if "decode" not in target.hello.ops:
        return
    name = "values hold the fields of their version"
    try:
        found = sorted(misheld(target, asking), key=lambda each: not each.certain)
    except Wrong as wrong:
        yield Check(name, "failed", wrong.detail, wrong.remedy)
        return
    except Skipped:
        return  # a check before has said why
    if not found:
        yield Check(name, "ok")
        return
    alike = [each for each in found if each.remedy == found[0].remedy]
    more = f", and {counted(len(alike) - 1, 'message')} more like it" if len(alike) > 1 else ""
    state: Literal["failed", "note"] = "failed" if found[0].certain else "note"
    yield Check(name, state, f"{found[0].what}{more}", found[0].remedy)


def _unread(target: Target, asking: Asking) -> Iterator[Check]:
    """A message of which nothing is read may be one that the library has in part: a note."""
    from conformance.codecs.testee.unread import REMEDY, unread  # loads all definitions

    try:
        found = list(unread(target, asking))
    except (Wrong, Skipped):
        return  # a check before has said why
    if found:
        more = f", and {counted(len(found) - 1, 'message')} more like it" if found[1:] else ""
        yield Check("each message is read", "note", f"{found[0]}{more}", REMEDY)


def _remaining(target: Target, asking: Asking) -> str:
    """Check two extra bytes after a message: counted, refused, or beyond what the codec reports."""
    fact = with_body(target, asking, "decode")
    if fact is None:
        raise Skipped("no known message is declared for decode")
    whole = fact.request("decode")
    outcome = asking(msgspec.structs.replace(whole, bytes=whole.bytes + b"\xff\xff"))
    if outcome.outcome == "value" and outcome.remaining not in (None, 2):
        raise Wrong(
            f"{fact.message} v{fact.version} and 2 bytes more: remaining is {outcome.remaining}",
            "count the bytes that were not decoded, or answer null where nobody can tell",
        )
    return "null" if outcome.outcome == "value" and outcome.remaining is None else ""


def _cut_short(target: Target, asking: Asking) -> str:
    """A message of which one byte came, then the whole of it: the first must do no harm.

    One byte, as codecs that take a cut string for a shorter one are for a rule to find.
    """
    ops: tuple[Op, ...] = ("roundtrip", "decode")
    for op in ops:
        fact = with_body(target, asking, op)
        if fact is None:
            continue
        whole = fact.request(op)
        first = asking(msgspec.structs.replace(whole, bytes=whole.bytes[:1]))
        if first.outcome != "rejected":
            raise Wrong(f"{op} of {fact.message}: {described(first)}", f"decode it, and {REJECT}")
        second = asking(whole)
        if second.outcome != "value":
            what = f"the message after it: {described(second)}"
            raise Wrong(what, "begin each request with a fresh state")
        return described(first)
    raise Skipped("no known message is declared for roundtrip or decode")


def _wrong_value(target: Target, asking: Asking) -> str:
    """Check that a value whose every field is an object gets an answer, whatever it is."""
    fact = next((fact for fact in declared(target, "encode") if fact.value), None)
    if fact is None:
        raise Skipped("no known message is declared for encode")
    request = fact.request("encode")
    value = {name: {"x": 1} for name in fact.value}
    outcome = asking(msgspec.structs.replace(request, value=value))
    return described(outcome)


def _on_a_fresh_process(target: Testee, check: Callable[[Testee, Process], str]) -> str:
    process = started(target)
    try:
        return check(target, process)
    finally:
        process.kill()
