"""Ways to ask an adapter for one thing at a time, and what no answer becomes.

A testee is asked line by line, in processes of its own, rather than as in a run: there an answer
that can not be read is an `error` and no more is said, here its cause is what matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from conformance.codecs.testee.answers import Violation, outcome_of, parse, request_fields
from conformance.codecs.testee.not_json import doubled_key
from conformance.codecs.testee.testee import Testee, last_words, silence
from conformance.targets.errors import TargetError
from conformance.targets.process import Ended, LineTooLong, Process, Silent
from conformance.testee_protocol import Outcome, Request, Target

_MOST_SILENCES = 2
REJECT = 'catch the error and answer {"id":…,"rejected":"text","error":"TypeName"}'
_STAY = f"go on after an error, whatever it was: {REJECT}"


class Wrong(Exception):
    """The flaw that a check found."""

    def __init__(self, detail: str, remedy: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.remedy = remedy


class Skipped(Exception):
    """Why a check was not made."""


class Asking(Protocol):
    """A function that asks one request. Raises Wrong for a line that is no answer."""

    def __call__(self, request: Request) -> Outcome:
        """Return the outcome of a request."""
        ...

    def close(self) -> None:
        """End the process that was started for it."""
        ...


class AskedObject:
    """Asks an object of this process, which can not be silent or end."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def __call__(self, request: Request) -> Outcome:
        """Return the outcome of a request."""
        [outcome] = self._target.ask([request])
        if outcome.outcome == "error":
            raise Wrong(outcome.text, "return what the codec object's method is to return")
        return outcome

    def close(self) -> None:
        """Do nothing: no process was started."""


class AskedLines:
    """Asks a testee in a process that is replaced after whatever was no answer."""

    def __init__(self, target: Testee) -> None:
        self._target = target
        self._process: Process | None = None
        self._last_id = 0
        self._silences = 0

    def __call__(self, request: Request) -> Outcome:
        """Return the outcome of a request, of a fresh process after a failure."""
        if self._silences >= _MOST_SILENCES:
            raise Skipped("not asked: it stayed silent before")
        if self._process is None:
            self._process = started(self._target)
        self._last_id += 1
        fields = request_fields(request, self._last_id)
        try:
            [outcome] = ask(self._target, self._process, [fields], request)
        except Wrong as wrong:
            self._silences += isinstance(wrong.__cause__, Silent)
            self.close()
            raise
        return outcome

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process = None


def started(target: Testee) -> Process:
    """Return a fresh process of the target. Raises Wrong."""
    try:
        return target.start()[0]
    except TargetError as error:
        raise Wrong(f"it can not be started again: {error.message}", error.hint) from error


def ask(
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
        raise Wrong(f"{violation}{last_words(process)}", remedy) from violation
    except Ended as end:
        raise Wrong(f"it {end.text}{last_words(process)}", _STAY) from end
    except Silent as silent:
        why, remedy = silence(process)
        detail = f"no answer within {target.timeout_s:g} s: {why}{last_words(process)}"
        raise Wrong(detail, remedy) from silent
    except LineTooLong as long:
        raise Wrong("a line without end", "end each answer with \\n") from long
    twice = doubled_key(line)
    if twice:
        raise Wrong(f"an object has the key {twice!r} twice", "write each key of an object once")
    return outcome
