"""The smallest case of each cause and target, asked again here and made short, on Spark.

A case that is bytes is a fuzzing input with another head, so that what a fuzzer suspected and what
a gate or a campaign judged are made short alike. What can't be is left as it is, with the reason:
a value to be written, a broker's or a client's dialogue, a target that is not here, or is here in
another version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console

from conformance.campaigns.chunk import ChunkSettings, close_targets
from conformance.campaigns.triage.lines import CauseLine, Instance
from conformance.errors import ConformanceError
from conformance.fuzzing.inputs import HEAD_BYTES, split
from conformance.fuzzing.triage import is_of_control_case
from conformance.results.command_lines import input_line
from conformance.spark.triage.shortening import Shortened, ToShorten, each_on_spark, opened

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Place = tuple[int, int]
"""The number of a line, and of a target in it."""


@dataclass(frozen=True, slots=True)
class ShorteningPlan:
    """Lines, and which of their cases can be made short here, by profile."""

    lines: Sequence[CauseLine]
    suspects: Mapping[str, Mapping[Place, ToShorten]]


def planned(lines: Sequence[CauseLine], settings: ChunkSettings) -> ShorteningPlan:
    """Return the inputs that can be shortened, and the reasons why others can't."""
    hindered = _Hindrances(settings)
    left: dict[Place, Instance] = {}
    suspects: dict[str, dict[Place, ToShorten]] = {}
    for place, each in _places(lines):
        why = each.why or hindered.of(each)
        if why:
            left[place] = msgspec.structs.replace(each, why=why)
        else:
            data = bytes.fromhex(each.fuzz_input or "")
            suspect = ToShorten(each.target, data, each.rule, each.op)
            suspects.setdefault(each.profile, {})[place] = suspect
    close_targets()
    return ShorteningPlan(_replaced(lines, left), suspects)


def shortened(
    session: SparkSession,
    plan: ShorteningPlan,
    settings: ChunkSettings,
    parts: int | None,
    console: Console,
) -> list[CauseLine]:
    """The lines with their cases made short. Raises Unfit, JobFailed."""
    known = dict(_places(plan.lines))
    done: dict[Place, Instance] = {}
    for profile, suspects in sorted(plan.suspects.items()):
        places, wanted = list(suspects), list(suspects.values())
        found = each_on_spark(session, wanted, profile, settings, parts, console=console)
        for number, each in found:
            place = places[number]
            done[place] = _short(known[place], wanted[number], each)
    return _replaced(plan.lines, done)


class _Hindrances:
    """Reasons why cases can't be asked again here; each target is looked at once."""

    def __init__(self, settings: ChunkSettings) -> None:
        self._settings = settings
        self._versions: dict[str, tuple[str, str]] = {}

    def of(self, each: Instance) -> str:
        """Return why a case can't be asked again here, "" if it can."""
        if each.fuzz_input is None or split(bytes.fromhex(each.fuzz_input)) is None:
            return "its bytes are of no message that is known here"
        if each.target not in self._versions:
            self._versions[each.target] = self._look_at(each.target)
        version, why = self._versions[each.target]
        if why or version == each.target_version:
            return why
        return f"what is here is {version}"

    def _look_at(self, name: str) -> tuple[str, str]:
        try:
            hello = opened(name, self._settings).hello
        except ConformanceError as error:
            return "", f"not to be opened here: {error.message}"
        return f"{hello.name} {hello.version}", ""


def _short(each: Instance, suspect: ToShorten, found: Shortened) -> Instance:
    if found.lost:
        return msgspec.structs.replace(each, why=found.lost)
    own = [verdict for verdict in found.broken if not is_of_control_case(verdict)]
    if not own:
        why = "not broken when it was asked again alone"
        return msgspec.structs.replace(each, minimised="not confirmed", why=why)
    verdict = max(own, key=suspect.like)
    return msgspec.structs.replace(
        each,
        minimised="shortest" if found.shortest == suspect.data else "shortened",
        shortest=found.shortest[HEAD_BYTES:].hex(),
        shortest_rule=verdict.rule,
        fuzz_input=found.shortest.hex(),
        reproduce=input_line(each.target, found.shortest, each.profile),
    )


def _places(lines: Sequence[CauseLine]) -> list[tuple[Place, Instance]]:
    return [
        ((number, at), each)
        for number, line in enumerate(lines)
        for at, each in enumerate(line.targets)
    ]


def _replaced(lines: Sequence[CauseLine], by: Mapping[Place, Instance]) -> list[CauseLine]:
    return [
        msgspec.structs.replace(
            line, targets=[by.get((number, at), each) for at, each in enumerate(line.targets)]
        )
        for number, line in enumerate(lines)
    ]
