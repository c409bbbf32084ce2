"""Codecs as a kind of target: what the gate has to know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from conformance.codecs.cases.known_definitions import tells_of_tags
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.codecs.gate import CodecSettings, near_case
from conformance.data import data_root
from conformance.gate.kind import Comparison, Kind, known_until
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Cause
from conformance.reporting.sorts import Sort
from conformance.results.command_lines import words_of
from conformance.results.known import Known
from conformance.results.lines import Verdict
from conformance.targets.registry import CHECKS, left_out_of, plain_name, version_of
from conformance.testee_protocol import Hello


@dataclass(frozen=True)
class Codecs(Kind):
    """Codecs by their names, or the one that the command `program` starts.

    A `quick` run asks few cases.
    """

    quick: bool = False
    program: tuple[str, ...] = ()
    noun, name, between = "codec", "codecs", "the adapter"
    diagnoses_parts = True

    @property
    def limits(self) -> dict[str, tuple[Any, ...]]:
        """Return the limits of the run that only codecs have, by name."""
        return {"quick": (True,) if self.quick else ()}

    def settings(self, target: str, common: dict[str, Any]) -> CodecSettings:
        """Return the settings of a run on a codec."""
        spec = None if self.program else target
        return CodecSettings(spec=spec, command=self.program, quick=self.quick, **common)

    def words(self, target: str) -> list[str]:
        """Return the words of a command that judges a codec."""
        return words_of("codec", target)

    def comparison(self, _target: str, _messages: tuple[str, ...], /) -> Comparison:
        """Return a comparison of a codec with mutants, habits and edits of definitions."""
        return _Diagnosis(self.quick)

    def near_case(self, case: str) -> str:
        """Return a hint at cases like one of that id, "" if there is none to give."""
        return near_case(case)

    def lacks(self, hello: Hello) -> str:
        """Return a clause on the tagged fields that a codec does not know, "" if it knows all."""
        return tells_of_tags(hello)

    def left_out(self, target: str) -> Sequence[str]:
        """Return what the adapter of a codec leaves out of it, with the reason."""
        return () if self.program else left_out_of(target)

    def known_file(self, target: str) -> Traversable:
        """Return the list of known failures of a bundled codec, or of its build with checks."""
        name = "known+checks.toml" if CHECKS in target else "known.toml"
        return data_root() / "adapters" / plain_name(target) / name

    def known_of_older(self, target: str) -> list[Known]:
        """Return the known failures that only older releases of a bundled codec have."""
        folder = Path(str(data_root() / "adapters" / plain_name(target)))
        return known_until(folder, version_of(target))

    def measured_messages(self, hello: Hello) -> int:
        """Return how many messages a whole run judges."""
        return len(hello.messages)


class _Diagnosis:
    """The symptoms of one codec, and the diagnosis of them."""

    def __init__(self, quick: bool) -> None:
        self._symptoms, self._quick = Symptoms(), quick

    def take(self, verdict: Verdict) -> None:
        self._symptoms.take(verdict)

    def explain(self, sorts: Mapping[Sort, Cause], hello: Hello) -> tuple[Explained, str]:
        from conformance.codecs.diagnosis.diagnosis import diagnose  # loads every mutant

        diagnoses = diagnose(self._symptoms, sorts, hello, quick=self._quick)
        return diagnoses.explained, diagnoses.note
