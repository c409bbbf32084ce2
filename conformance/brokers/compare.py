"""Two brokers that are asked the same requests, and the differences between them.

They are a new release and the old one, or a compatible broker and Apache Kafka: not the rules that
each keeps matter, but the answers that a client would see change.
"""

from __future__ import annotations

import shutil
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from conformance.errors import INTERRUPTED, UNREACHABLE
from conformance.gate.gate import PART
from conformance.gate.options import RunOptions
from conformance.gate.runner import run_pytest
from conformance.reporting.differences import Difference, show_differences
from conformance.reporting.exchanged import page
from conformance.results.files import read_verdicts
from conformance.rules import catalogue
from conformance.testee_protocol import Hello

DIFFERENT = 1
NOT_ADVERTISED = "not advertised"
ADVERTISED = "advertised versions"


@dataclass(frozen=True, slots=True)
class _Asked:
    """The versions that one broker advertises, and its result in each case by each rule.

    `ended` is the exit code of a run that did not end well, `why` its reason.
    """

    hello: Hello
    answers: dict[tuple[str, str], str]
    ended: int
    why: str


def compare_brokers(one: str, other: str, options: RunOptions, console: Console) -> int:
    """Ask both brokers, print the differences, and return the exit code: 1 if there are any.

    Raises ConformanceError.
    """
    first, second = (_ask(name, options, console) for name in (one, other))
    for name, asked in ((one, first), (other, second)):
        if asked.ended:
            console.print(f"{name}: {asked.why}", soft_wrap=True, markup=False)
    if worst := max(first.ended, second.ended):
        return worst
    differences = [*_in_versions(first, second), *_in_answers(first, second)]
    shared = len(first.answers.keys() & second.answers.keys())
    if differences and not options.verbose:
        ranges = _ranges(first.hello), _ranges(second.hello)
        for line in page((one, other), ranges, differences, catalogue()):
            console.print(_wrapped(line, console.width), markup=False, highlight=False)
        console.print()
    show_differences(console, (one, other), differences, shared, verbose=options.verbose)
    return DIFFERENT if differences else 0


def _in_versions(one: _Asked, other: _Asked) -> Iterator[Difference]:
    for request in one.hello.messages | other.hello.messages:
        mine, theirs = _range(one.hello, request), _range(other.hello, request)
        if mine != theirs:
            yield Difference(ADVERTISED, request, mine, theirs)


def _wrapped(line: str, width: int) -> str:
    """Return a line wrapped to a width, its rest indented further than its begin."""
    below = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(line, width, subsequent_indent=below, break_on_hyphens=False)


def _ranges(hello: Hello) -> dict[str, range]:
    """Return the versions of each request."""
    found = {}
    for request, supported in hello.messages.items():
        [(low, high)] = supported.versions
        found[request.removesuffix("Request")] = range(low, high + 1)
    return found


def _range(hello: Hello, request: str) -> str:
    if request not in hello.messages:
        return NOT_ADVERTISED
    [(low, high)] = hello.messages[request].versions
    return f"v{low} to v{high}"


def _in_answers(one: _Asked, other: _Asked) -> Iterator[Difference]:
    """Yield the differences in cases that both brokers were asked."""
    for (case, rule), mine in one.answers.items():
        theirs = other.answers.get((case, rule), mine)
        if mine != theirs:
            yield Difference(rule, case, mine, theirs)


def _ask(name: str, options: RunOptions, console: Console) -> _Asked:
    parts = Path(tempfile.mkdtemp(prefix="kafka-conformance-"))
    try:
        ran = run_pytest(name, options.settings(name, str(parts)), options, console)
        answers = {
            (verdict.case, verdict.rule): ": ".join(filter(None, (verdict.verdict, verdict.detail)))
            for verdict in read_verdicts(sorted(parts.glob(f"*{PART}")))
        }
    finally:
        shutil.rmtree(parts, ignore_errors=True)
    if ran.interrupted:
        return _Asked(ran.hello, answers, INTERRUPTED, "interrupted")
    lost = f"not judged to the end: {ran.lost}"
    return _Asked(ran.hello, answers, UNREACHABLE if ran.lost else 0, lost)
