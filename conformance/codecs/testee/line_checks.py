"""Checks of an adapter on its lines alone: their order, their keys, their texts and their end.

Each check runs in a process of its own. Mistakes that an object of this process can not make are
not looked for in one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from conformance.codecs.testee.answers import request_fields
from conformance.codecs.testee.asking import Wrong, ask
from conformance.codecs.testee.hello import LONGEST_WINDOW
from conformance.codecs.testee.known_messages import any_request
from conformance.codecs.testee.mistakes import described
from conformance.codecs.testee.testee import Testee, last_words
from conformance.targets.process import Process, Silent
from conformance.testee_protocol import MAX_LINE_BYTES

_END_S = 5.0
_FEWEST_IDS = 8
_LONG_LINE_BYTES = MAX_LINE_BYTES - 1024


def _unknown_op(target: Testee, process: Process) -> str:
    remedy = 'answer any other op with {"id":…,"unsupported":"text"}'
    try:
        [outcome] = ask(target, process, [{"op": "no-such-op", "id": 41}], any_request(target))
    except Wrong as wrong:
        raise Wrong(wrong.detail, remedy) from wrong
    if outcome.outcome != "unsupported":
        raise Wrong(described(outcome), remedy)
    return ""


def _with_key(target: Testee, process: Process, more: dict[str, Any], remedy: str) -> None:
    """Check that an unknown key in a request leaves the answer the same. Raises Wrong."""
    request = any_request(target)
    plain = request_fields(request, 1)
    [before] = ask(target, process, [plain], request)
    try:
        [after] = ask(target, process, [{**more, **plain, "id": 2}], request)
    except Wrong as wrong:
        raise Wrong(wrong.detail, remedy) from wrong
    before, after = (msgspec.structs.replace(each, allocated=None) for each in (before, after))
    if before != after:
        raise Wrong(f"{described(before)} becomes {described(after)}", remedy)


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
    request = any_request(target)
    at_once = min(target.hello.window, LONGEST_WINDOW)
    ids = [2**53 - 1, 3, 2**31, 0, 17, 2**32 + 1, 5, 1, *range(100, 100 + at_once - _FEWEST_IDS)]
    starts = range(0, len(ids), at_once)
    for start, more in (
        (start, more) for more in ({}, {"x-long": "x" * 100_000}) for start in starts
    ):
        lines = [request_fields(request, each) for each in ids[start : start + at_once]]
        lines[0] = {**more, **lines[0]}
        try:
            ask(target, process, lines, request)
        except Wrong as wrong:
            if not isinstance(wrong.__cause__, Silent):
                raise
            remedy = (
                f'read line by line: "window":{target.hello.window} lets {at_once} requests come '
                'at once; if that can not be, declare "window":1'
            )
            raise Wrong(wrong.detail, remedy) from wrong
    return f"{at_once} in flight"


def _end(_: Testee, process: Process) -> str:
    remedy = "leave the loop at the end of stdin and exit with 0; log to stderr, never to stdout"
    status = process.finish(_END_S)
    if status is None:
        raise Wrong(f"it still runs {_END_S:g} s after the end of its stdin", remedy)
    if status != 0:
        raise Wrong(f"it ended with status {status}{last_words(process)}", remedy)
    if process.leftover:
        raise Wrong("it wrote to stdout what nobody had asked for", remedy)
    return ""


LINE_CHECKS: tuple[tuple[str, Callable[[Testee, Process], str]], ...] = (
    ("an unknown op is unsupported", _unknown_op),
    ("unknown keys are ignored", _unknown_keys),
    ("a line is UTF-8 up to its \\n", _any_text),
    ("answers keep the order and the ids of requests", _order),
    ("a line of 16 MiB is read", _long_line),
    ("the end of stdin ends it with status 0", _end),
)
"""Each is made in a process of its own."""
