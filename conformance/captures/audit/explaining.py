"""The frames of captures, each explained to its last byte, without secret values.

The values of fields that hold passwords and keys are left out, and so are bytes of such frames that
could not be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from conformance.captures.audit.judging import FrameJudge, Judge
from conformance.captures.audit.masking import SECRET_FIELD
from conformance.captures.audit.shown_verdicts import is_secret
from conformance.captures.errors import Limits
from conformance.captures.streams.events import Captured, Event, Side, Skipped, Unanswering
from conformance.captures.streams.traffic import Traffic, segments
from conformance.explain import Explainer, Explanation
from conformance.reference.codec import ReferenceCodec
from conformance.results.lines import Verdict
from conformance.wire.annotated import Row


@dataclass(frozen=True, slots=True)
class ExplainedFrame:
    """A frame of a capture: its id, when it was sent, and its rows; or why it was skipped.

    `breaks` are the rules of the profile that it breaks, each with the reason; `is_noted` is true
    if it breaks a rule that the profile forgives, and `unjudged` is why the audit does not judge
    it.
    """

    case: str
    at_ns: int = 0
    side: str = ""
    explanation: Explanation | None = None
    skipped: str = ""
    breaks: tuple[tuple[str, str], ...] = ()
    is_noted: bool = False
    unjudged: str = ""

    @property
    def is_broken(self) -> bool:
        """True if the frame breaks a rule of the profile, or is malformed and no rule forgives it.

        A frame that the audit does not judge breaks no rule.
        """
        if self.unjudged:
            return False
        is_malformed = bool(self.explanation and self.explanation.wrong)
        return bool(self.breaks) or (is_malformed and not self.is_noted)

    @property
    def is_undecided(self) -> bool:
        """True if it is not known whether the frame is well-formed."""
        is_undecided = bool(self.unjudged or (self.explanation and self.explanation.undecided))
        return not self.is_broken and is_undecided


@dataclass(frozen=True, slots=True)
class Wanted:
    """A selection of the frames of a capture: by case, message, requested version, and side.

    An empty field selects everything.
    """

    case: str = ""
    messages: frozenset[str] = frozenset()
    version: int | None = None
    side: Side | Literal[""] = ""

    @property
    def is_all(self) -> bool:
        """True if nothing is left out, not even the reasons why frames were skipped."""
        return self == Wanted()

    def may_be_answered(self, event: Event) -> bool:
        """True if an event is a request whose answer may be selected."""
        if not isinstance(event, Captured) or event.side != "request" or self.side == "request":
            return False
        is_near = not self.case or _connection(event.case) == _connection(self.case)
        return is_near and self.version in (None, event.asked.version)

    def has(self, event: Event) -> bool:
        """True if an event of a conversation is selected."""
        if self.is_all or isinstance(event, Skipped):
            return self.is_all
        if self.case and event.case != self.case:
            return False
        if isinstance(event, Unanswering):
            return not self.messages and self.version is None and self.side != "request"
        return (
            (not self.messages or event.message in self.messages)
            and self.version in (None, event.asked.version)
            and self.side in ("", event.side)
        )


def explained(
    paths: Iterable[Path],
    ports: frozenset[int] | None,
    release: str = "",
    *,
    lenient: bool = False,
    profile: str = "spec",
    wanted: Wanted | None = None,
    limits: Limits | None = None,
) -> Iterator[ExplainedFrame]:
    """Yield every selected frame, in the order in which the frames are complete.

    A frame is broken if the audit says so under the profile. Raises CaptureError.
    """
    wanted = wanted or Wanted()
    explaining = _Explaining(release, lenient=lenient, profile=profile)
    traffic = Traffic(ReferenceCodec(release), ports, limits)
    for event in _events(traffic, paths):
        if wanted.has(event):
            yield explaining.event(event)
        elif isinstance(event, Captured) and wanted.may_be_answered(event):
            explaining.pass_by(event)


def _events(traffic: Traffic, paths: Iterable[Path]) -> Iterator[Event]:
    for segment in segments(paths, traffic.told):
        yield from (event for _, event in traffic.feed(segment))
    yield from (event for _, event in traffic.finish())
    for why, count in traffic.told.reasons.items():
        yield Skipped("the capture", why, str(count))


class _Explaining:
    """An explainer of the events of conversations, which also judges them as the audit does."""

    def __init__(self, release: str, *, lenient: bool, profile: str) -> None:
        self._explainer = Explainer(release, lenient=lenient, length=False)
        self._judge = Judge(profile, release)
        self._frames = FrameJudge(self._judge)

    def event(self, event: Event) -> ExplainedFrame:
        """Return an explained frame, or the reason why one was skipped."""
        match event:
            case Captured():
                return self._frame(event)
            case Unanswering():
                found = self._explainer.of_nothing(event.frame)
                found = replace(found, rows=tuple(map(_hidden, found.rows)), undecided="")
                breaks = _broken([self._judge.unanswering(event)])
                return ExplainedFrame(event.case, event.at_ns, "response", found, breaks=breaks)
            case Skipped():
                why = ": ".join(filter(None, (event.why, event.detail)))
                return ExplainedFrame(event.connection, skipped=why)

    def pass_by(self, request: Captured) -> None:
        """Judge a request that is not shown, since its answer is judged only if it can be read."""
        self._frames.judge(request)

    def _frame(self, captured: Captured) -> ExplainedFrame:
        asked = captured.asked
        if captured.side == "request":
            found = self._explainer.request(captured.frame)
        elif captured.message:
            found = self._explainer.response(captured.frame, captured.message, asked.version)
        else:
            what = f"an answer to api key {asked.api_key} v{asked.version}"
            skipped = f"{what}, which has no definition"
            return ExplainedFrame(captured.case, captured.at_ns, captured.side, skipped=skipped)
        if not captured.message or is_secret(captured.message):
            found = replace(found, rows=tuple(map(_hidden, found.rows)))
        verdicts, _, unjudged = self._frames.judge(captured)
        return ExplainedFrame(
            captured.case,
            captured.at_ns,
            captured.side,
            found,
            breaks=_broken(verdicts),
            is_noted=any(verdict.verdict == "note" for verdict in verdicts),
            unjudged=unjudged,
        )


def _connection(case: str) -> str:
    """Return the connection part of a frame's id."""
    return case.rpartition("/")[0]


def _broken(verdicts: Iterable[Verdict]) -> tuple[tuple[str, str], ...]:
    """Return the rules that verdicts say are broken, each with the reason."""
    return tuple(
        (verdict.rule, verdict.detail or "") for verdict in verdicts if verdict.verdict == "fail"
    )


def _hidden(row: Row) -> Row:
    """Return a row without its bytes if they may be secret, else the row itself."""
    if row.state in ("read", "forgiven") and not SECRET_FIELD.search(row.path):
        return row
    return replace(row, data=b"", value=None, text=f"({len(row.data)} bytes, not shown)")
