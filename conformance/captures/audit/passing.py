"""Which frames are judged, and why the others are skipped.

A frame that no stored definition describes, or one of an unstable version, can't be compared with
anything. An answer to a request that could not be read may be the answer to anything.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

from conformance.captures.audit.judging import Judge
from conformance.captures.streams.events import Captured
from conformance.captures.streams.request_head import RequestHead
from conformance.captures.streams.waiting import MOST_WAITING
from conformance.results.lines import Verdict


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
