"""What a campaign suspected, asked again of a fresh process, judged, made short and told once.

Nothing is decided here: an input becomes a case by what the oracles make of it, and the engine that
judges the gate's cases judges it. What is not confirmed is counted and forgotten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from conformance.cases.found import found_family
from conformance.fuzzing.inputs import split
from conformance.protocol import Target
from conformance.reporting.findings import Causes
from conformance.results.lines import BROKEN, Finding, Verdict
from conformance.rules import catalogue
from conformance.run import run

MOST_TRIES = 400
"""Inputs that are tried to make one shorter."""


@dataclass(slots=True)
class Triage:
    """What came of the suspicions: verdicts that are broken, and the findings that they are."""

    verdicts: list[Verdict] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    inputs: dict[str, bytes] = field(default_factory=dict)
    unconfirmed: int = 0


def case_name(data: bytes) -> str:
    """The id of the case that an input is."""
    return f"fuzz/{hashlib.sha256(data).hexdigest()[:16]}"


def judged(data: bytes, target: Target, profile: str) -> list[Verdict]:
    """What the engine says of one input; nothing where the target has no such message."""
    parted = split(data)
    if parted is None:
        return []
    subject, body = parted
    name = case_name(data)
    family = found_family(name, subject.message, subject.version, subject.op, body, target.hello)
    if family is None:
        return []
    return [
        each for each in run([family], target, catalogue(), profile) if each.case.startswith(name)
    ]


def triage(
    suspects: Iterable[bytes],
    target: Target,
    name: str,
    profile: str,
    say: Callable[[str], None] = lambda _: None,
) -> Triage:
    """Confirm, shorten and group suspicious inputs. Raises TargetLost."""
    done = Triage()
    causes = Causes()
    seen: set[bytes] = set()
    for data in sorted(suspects, key=len):
        broken = _broken(data, target, profile)
        if not broken:
            done.unconfirmed += 1
            continue
        shorter = shortest(data, broken[0], target, profile)
        if shorter in seen:
            continue
        seen.add(shorter)
        found = _broken(shorter, target, profile) or broken
        done.inputs[case_name(shorter)] = shorter
        for verdict in found:
            causes.take(verdict)
            done.verdicts.append(verdict)
        say(f"{found[0].rule}: {found[0].verdict} of {found[0].message} v{found[0].version}")
    done.findings = [_reproducible(each, done.inputs, name) for each in causes.findings(name)]
    return done


def _broken(data: bytes, target: Target, profile: str) -> list[Verdict]:
    return [each for each in judged(data, target, profile) if each.verdict in BROKEN]


def _reproducible(finding: Finding, inputs: dict[str, bytes], name: str) -> Finding:
    """With the command that asks the same again: the bytes are in it."""
    data = inputs["/".join(finding.case.split("/")[:2])]  # whichever case of its family failed
    command = f"kafka-conformance fuzz {name} --input {data.hex()}"
    return msgspec.structs.replace(finding, reproduce=command)


def shortest(data: bytes, broken: Verdict, target: Target, profile: str) -> bytes:
    """The input without what is not needed to break the same rule in the same way."""
    parted = split(data)
    assert parted is not None
    subject, body = parted
    ends = broken.verdict in ("crash", "hang")
    tries = MOST_TRIES // 8 if ends else MOST_TRIES  # each may cost a process

    def still(body: bytes) -> bool:
        again = _broken(subject.head + body, target, profile)
        return any((each.rule, each.verdict) == (broken.rule, broken.verdict) for each in again)

    return subject.head + _shortened(body, still, tries)


def _shortened(body: bytes, still: Callable[[bytes], bool], tries: int) -> bytes:
    """Pieces are left out, the longest first, and bytes become zero, as long as it is `still`."""
    for candidate_of in (_without, _zeroed):
        size = max(len(body) // 2, 1)
        while size and tries > 0:
            at = 0
            while at < len(body) and tries > 0:
                candidate = candidate_of(body, at, size)
                tries -= 1
                if candidate != body and still(candidate):
                    body = candidate
                    at += 0 if candidate_of is _without else size
                else:
                    at += size
            size //= 2
    return body


def _without(body: bytes, at: int, size: int) -> bytes:
    return body[:at] + body[at + size :]


def _zeroed(body: bytes, at: int, size: int) -> bytes:
    return body[:at] + bytes(len(body[at : at + size])) + body[at + size :]


def read_suspects(files: Iterable[bytes]) -> Iterator[bytes]:
    """The inputs of what a fuzzing process kept: a line says why, the rest is the input."""
    for content in files:
        yield content.partition(b"\n")[2]
