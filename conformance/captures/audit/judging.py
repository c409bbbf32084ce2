"""The judge of captured frames: it judges the writer of a frame as `judge` judges a codec.

The value of a frame that can be read, even if only as leniently as Apache Kafka reads, is what the
writer meant, and so determines the bytes it should have written: that value is a case, the frame is
its outcome, and `judge` compares the two as for a codec. A frame that can't be read breaks the rule
that its fault is about, or, if no such rule is known, the rule that requests can be read. Rules
that hold for any client's requests (`clients.scenarios.every_request`) are applied to each request.
This module knows nothing of streams or files.

Some frames are not judged. A frame that no stored definition describes, or one of an unstable
version, can't be compared with anything. An answer to a request that could not be read may be the
answer to anything.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from conformance.captures.audit.masking import Masker
from conformance.captures.audit.shown_verdicts import around, discreet, verdict_on
from conformance.captures.audit.writing_rules import (
    BOOLEAN,
    OTHER_VERSION,
    READ,
    READABLE,
    otherwise,
    rule_of,
    unexplained,
)
from conformance.captures.streams.events import Captured, Unanswering
from conformance.captures.streams.request_head import RequestHead
from conformance.captures.streams.waiting import MOST_WAITING
from conformance.clients.scenarios.every_request import ALWAYS
from conformance.clients.scenarios.visit import Judgement, Sent, Visit
from conformance.codecs.cases.case import Case, Family, Writes
from conformance.codecs.judge.compare import first_different, part_at
from conformance.codecs.judge.judge import judge_case, judge_family
from conformance.dialogue import Broken, NotApplicable
from conformance.explain import Explainer, Explanation
from conformance.reference.codec import LenientCodec, ReferenceCodec
from conformance.results.lines import Verdict
from conformance.rules import catalogue
from conformance.schema.layout import Form
from conformance.testee_protocol import Op, Outcome, Request
from conformance.wire.errors import DecodeError, EncodeError, LengthError

CORRELATED = "client-requests.correlation-ids-differ"
ECHOED = "framing.correlation-id-echoed"
UNANSWERED = "produce.unanswered-without-acks"
IN_ORDER = "framing.responses-in-order"
_OF_EACH: Mapping[str, tuple[str, ...]] = {
    "ApiVersions": ("client-requests.software-named",),
    "Produce": ("client-requests.records-valid", "client-requests.one-batch"),
    "FindCoordinator": ("client-coordinators.keys-fit",),
}
"""The rules for any client's requests of an API that can be judged on one request alone."""


class Read(msgspec.Struct, frozen=True):
    """A frame's decoded header and value, and the bytes that should have been written for them."""

    header: dict[str, Any]
    value: dict[str, Any]
    form: Form
    canonical: bytes


class Judge:
    """A judge of captured frames, by the definitions of a release, under a profile.

    Verdicts do not show frames with secrets, unless `secrets` is true.
    """

    def __init__(self, profile: str = "spec", release: str = "", *, secrets: bool = False) -> None:
        self.codec = ReferenceCodec(release)
        self.profile = profile
        self.rules = catalogue()
        self._lenient = LenientCodec(release)
        self._explainer = Explainer(release, length=False)
        self._masker = None if secrets else Masker(release)

    def judge(self, captured: Captured) -> tuple[list[Verdict], dict[str, Any] | None]:
        """Return the verdicts on a frame, and its value; None if it can't be read.

        Raises UnknownDefinition where no release has such a message.
        """
        message = captured.message
        form = self.codec.form(message, captured.asked.version)
        wrong = ""
        try:
            read = self._strict(form, captured.frame)
        except (DecodeError, EncodeError) as error:
            found, value = self._faulty(captured, form, error)
            wrong = str(error) if any(verdict.class_ != "kafka" for verdict in found) else ""
        else:
            found, value = list(self._written(captured, read)), read.value
        found += self._around(captured, value, wrong)
        if all(verdict.verdict == "pass" for verdict in found):
            return found, value
        hidden = self._masker is not None and self._masker.hides(captured)
        return [discreet(verdict, hidden=hidden) for verdict in found], value

    def client_id(self, captured: Captured) -> str | None:
        """Return the client id of a request, None if it is missing or can't be read."""
        form = self.codec.form("RequestHeader", 1)
        try:
            client_id = self.codec.read(form, captured.frame)[0]["clientId"]
        except DecodeError:
            return None
        return client_id if isinstance(client_id, str) else None

    def unanswering(self, found: Unanswering) -> Verdict:
        """Return the verdict on an answer for which no request waits."""
        number = int.from_bytes(found.frame[:4], "big", signed=True)
        rule, why = ECHOED, f"no request with correlation id {number} waits for an answer"
        if found.silent:
            rule, why = UNANSWERED, f"the Produce with correlation id {number} had acks 0"
        elif len(found.frame) < 4:
            why = f"{len(found.frame)} bytes are no answer: there is no correlation id"
        return verdict_on(found.case, "", -1, self.rules[rule], self.profile, why)

    def _strict(self, form: Form, frame: bytes) -> Read:
        """Read a frame strictly. Raises DecodeError and EncodeError."""
        if form.type == "request":
            header, offset = self.codec.read(self.codec.header_form(form), frame)
            value, end = self.codec.read(form, frame, offset)
            left = len(frame) - end
        else:
            answer = self.codec.decode_response(form.message, form.version, frame)
            header, value, left, version = answer
            form = form if version == form.version else self.codec.form(form.message, version)
        if left:
            end = len(frame) - left
            raise LengthError(f"{left} bytes after the last field", "", end)
        return self._read(header, value, form)

    def _read(self, header: dict[str, Any], value: dict[str, Any], form: Form) -> Read:
        canonical = self.codec.write(self.codec.header_form(form), header)
        return Read(header, value, form, canonical + self.codec.write(form, value))

    def _written(
        self, captured: Captured, read: Read, rules: tuple[str, ...] = (), why: str = ""
    ) -> Iterator[Verdict]:
        """Yield the verdicts of `judge` on the frame as the encoding of its own value.

        They are on `rules`, by default on the rule that the difference is about; `why` replaces the
        detail of a failure.
        """
        layouts = (self.codec.header_form(read.form).layout, read.form.layout)
        case = Case(
            captured.case,
            Request(op=_op(captured), message=read.form.message, version=read.form.version),
            Writes((read.canonical,), layouts),
            rules or (self._whole(captured),),
        )
        outcome = Outcome(outcome="value", bytes=captured.frame)
        judgement = judge_case(case, outcome)
        if judgement.verdict != "pass" and not rules:
            by = tuple(sorted(judgement.only)) or (self._rule_at(case, captured),)
            case = replace(case, rules=by)
        family = Family(captured.case, (case,))
        for verdict in judge_family(family, [outcome], self.rules, self.profile):
            detail = why if why and verdict.verdict != "pass" else verdict.detail
            yield msgspec.structs.replace(verdict, detail=detail)

    def _whole(self, captured: Captured) -> str:
        """Return the rule that a frame passes if it can be read and is written as expected."""
        return READABLE if captured.side == "request" else OTHER_VERSION

    def _rule_at(self, case: Case, captured: Captured) -> str:
        """Return the rule of the first byte that differs from the expected bytes."""
        assert isinstance(case.expects, Writes)
        canonical = case.expects.options[0]
        part = part_at(canonical, first_different(canonical, captured.frame), case.expects.layouts)
        return BOOLEAN if part and part.kind == "bool" else READ

    def _faulty(
        self, captured: Captured, form: Form, error: DecodeError | EncodeError
    ) -> tuple[list[Verdict], dict[str, Any] | None]:
        """Return the verdicts on a frame that a strict reader refuses, and its value or None."""
        for rule, why in otherwise(self.codec, form, captured.frame):
            return [self._of(captured, rule, why)], None
        rule = rule_of(error, form) if isinstance(error, DecodeError) else unexplained(form)
        read = self._leniently(form, captured.frame)
        if read is not None:
            rules = dict.fromkeys([rule, *(rule_of(e, form) for e in self._lenient.forgiven)])
            found = list(self._written(captured, read, tuple(rules), str(error)))
            if any(verdict.verdict != "pass" for verdict in found):
                return found, read.value
        return [self._of(captured, rule, str(error))], None

    def _leniently(self, form: Form, frame: bytes) -> Read | None:
        """Return a frame as Apache Kafka would read it, None if it would refuse the frame."""
        try:
            if form.type == "request":
                header, value, _ = self._lenient.decode_request(frame)
            else:
                header, value, *_ = self._lenient.decode_response(form.message, form.version, frame)
            return self._read(header, value, form)
        except (DecodeError, EncodeError):
            return None

    def _around(
        self, captured: Captured, value: dict[str, Any] | None, wrong: str
    ) -> Iterator[Verdict]:
        """Yield the verdicts on demands besides the encoding; `wrong` is its fault, if any."""
        if captured.late:
            yield self._of(captured, IN_ORDER, "a later request was answered before this one")
        if captured.side == "response":
            return
        if captured.again:
            why = f"correlation id {captured.asked.correlation_id} is used twice on one connection"
            yield self._of(captured, CORRELATED, why)
        visit = _visit(captured, value, wrong)
        for rule in _OF_EACH.get(visit.sent[0].api, ()):
            broken = _broken(ALWAYS[rule], visit)
            if not isinstance(broken, NotApplicable):
                yield self._of(captured, rule, broken.detail if broken else "")

    def _of(self, captured: Captured, rule: str, why: str) -> Verdict:
        """Return a verdict without expected bytes: a failure if `why` gives a reason."""
        return verdict_on(
            captured.case,
            captured.message,
            captured.asked.version,
            self.rules[rule],
            self.profile,
            why,
            captured.frame,
            _op(captured),
            around(self._explained(captured)) if why else (),
        )

    def _explained(self, captured: Captured) -> Explanation:
        if captured.side == "request":
            return self._explainer.request(captured.frame)
        return self._explainer.response(captured.frame, captured.message, captured.asked.version)


def _op(captured: Captured) -> Op:
    """Return the codec operation of which a frame is the outcome."""
    return "encode-request" if captured.side == "request" else "encode-response"


def _visit(captured: Captured, value: dict[str, Any] | None, wrong: str) -> Visit:
    """Return a visit that consists of this one request, for judgements that look at visits."""
    api = captured.asked.message.removesuffix("Request")
    version = captured.asked.version
    return Visit(sent=[Sent(0.0, 0, 0, captured.frame, api, version, {}, value, wrong)])


def _broken(judgement: Judgement, visit: Visit) -> Broken | NotApplicable | None:
    try:
        judgement(visit)
    except (Broken, NotApplicable) as broken:
        return broken
    return None


class Judged(NamedTuple):
    """The verdicts on a frame, and its value; `passed` is why it was not judged."""

    verdicts: list[Verdict]
    value: dict[str, Any] | None = None
    passed: str = ""


class FrameJudge:
    """A judge of the frames of conversations, which takes them in the order in which they came."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._unread: OrderedDict[int, RequestHead] = OrderedDict()

    def judge(self, captured: Captured) -> Judged:
        """Return the verdicts on a frame, or why it is not judged."""
        asked = captured.asked
        if not asked.message:
            return Judged([], passed="requests of no stored definition")
        if self._judge.codec.form(captured.message, asked.version).unstable:
            return Judged([], passed="versions that are unstable")
        if captured.side == "response" and id(asked) in self._unread:
            return Judged([], passed="answers to requests that are malformed")
        verdicts, value = self._judge.judge(captured)
        if value is None and captured.side == "request":
            self._unread[id(asked)] = asked
            if len(self._unread) > MOST_WAITING:
                self._unread.popitem(last=False)
        return Judged(verdicts, value)
