"""The examples of rules of codecs, made from vectors and mutants.

Every mutant is asked the vectors that decide its rule, the shortest first, until one shows the
defect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.codecs.cases.golden import families
from conformance.codecs.cases.vectors import Vector
from conformance.codecs.mutants import Mutant, mutants
from conformance.codecs.run import run
from conformance.codecs.score import deciding, wrong
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.explain import Explainer, Explanation
from conformance.results.lines import Verdict
from conformance.rules import catalogue
from conformance.rules.examples import FILE, Example, ExampleRow
from conformance.rules.selection import Selection
from conformance.schema.releases import UnknownDefinition
from conformance.wire.annotated import Row, printable
from tests.proof.examples.making import Maker
from tests.proof.examples.rows import AFTER_THE_END, OF_RECORDS, Rows, around

_MOST_BYTES = 48
_MOST_LETTERS = 200
_MOST_LEAVES = 3
_ZEROS = 24
_HEX = re.compile(r"(?:[0-9a-f]{2})*")
_COMPUTED = (OF_RECORDS, "batchLength|size", "crc")
ROWS = Rows(12, 80, lambda row: row.says if row.state == "wrong" else row.text, _COMPUTED)
_OR = "refused, or "
_NOT_WELL_FORMED = "no well-formed message was written"


def _shown(mutant: type[Mutant]) -> Iterator[_Shown]:
    """Yield the verdicts on the shortest vector that shows how the mutant breaks its rule."""
    rule = catalogue()[mutant.breaks]
    selection = Selection(rules={rule.id: rule})
    target = ObjectTarget(mutant())
    for vector in sorted(deciding(rule.id, mutant.messages), key=_plainness):
        asked = families([vector], target.hello, selection)
        if found := wrong(list(run(asked, target, catalogue(), "kafka"))):
            yield from (_Shown(mutant, verdict) for verdict in found)
            return
    raise LookupError(f"no vector shows that {mutant.__name__} breaks {rule.id}")


def _plainness(vector: Vector) -> tuple[bool, int, str]:
    """Return a sort key: the shortest first, but filled ones before zeros of nearly their size."""
    zeros = 0 if vector.id.endswith("-filled") else _ZEROS
    return "mixture" in vector.id, len(vector.data) + zeros, vector.id


@dataclass(frozen=True, slots=True)
class _Shown:
    """A verdict on a mutant, and its form as an example."""

    mutant: type[Mutant]
    verdict: Verdict

    @property
    def given(self) -> bytes | None:
        """The bytes to be read, None if a value is to be written."""
        return None if self.verdict.op.startswith("encode") else _bytes(self.verdict.input) or b""

    @property
    def right(self) -> bytes | None:
        """The expected bytes of a writer."""
        return _bytes(_without_or(self.verdict.expected))

    @property
    def wrong(self) -> bytes | None:
        """The bytes that were written."""
        return _bytes(self.verdict.actual)

    @property
    def worth(self) -> tuple[int, bool, int]:
        """A sort key: bytes beside bytes first, then values beside values, then refusals."""
        if self.right is not None and self.wrong is not None:
            rank = 0
        elif str(self.verdict.actual).startswith(("rejected", "crashed")):
            rank = 2
        else:
            rank = 1
        return rank, self.verdict.op == "roundtrip", len(str(self.verdict.input))

    def example(self) -> Example:
        """Return the verdict as an example."""
        given = _short(self.verdict.input) if self.given is None else _spaced(self.given)
        right, wrong = self._told()
        return Example(
            rule=self.verdict.rule,
            case=self.verdict.case,
            message=self.verdict.message,
            version=self.verdict.version,
            mutant=self.mutant.__name__,
            defect=self.mutant.says(),
            given=given,
            right=right,
            wrong=wrong,
            rows=self._rows(),
        )

    def _told(self) -> tuple[str, str]:
        expected, wrong = self.verdict.expected, self.verdict.actual
        right = _without_or(expected)
        allowed = _OR if right is not expected else ""
        if self.verdict.detail.startswith(_NOT_WELL_FORMED):
            allowed = _OR
            right = right if self.right is not None else "a well-formed message without it"
        if not isinstance(right, str) and not isinstance(wrong, str):
            if _short(right) and _short(wrong):
                return allowed + _short(right), _short(wrong)
            return allowed + _leaves(right, wrong), _leaves(wrong, right)
        return allowed + _outcome(right), _outcome(wrong)

    def _rows(self) -> list[ExampleRow]:
        if self.right is not None and self.wrong is not None:
            return _beside(self._explained(self.right), self.right, self.wrong)
        data = self.wrong if self.given is None else self.given
        if data is None:
            data = self.right or b""
        rows = self._explained(data)
        return ROWS.alone(rows, _place(rows, self.verdict))

    def _explained(self, data: bytes) -> Sequence[Row]:
        verdict = self.verdict
        explainer = Explainer(length=False)
        try:
            return _explanation(explainer, verdict, data).rows
        except UnknownDefinition:  # an unknown version
            return ()


def _explanation(explainer: Explainer, verdict: Verdict, data: bytes) -> Explanation:
    if verdict.op.endswith("-request"):
        return explainer.request(data, verdict.message, verdict.version)
    if verdict.op.endswith("-response"):
        return explainer.response(data, verdict.message, verdict.version)
    return explainer.body(data, verdict.message, verdict.version)


def _without_or(expected: Any) -> Any:
    """Return the expected answer of a codec that does not refuse, even if it may."""
    if isinstance(expected, str):
        return expected.removeprefix(_OR)
    if isinstance(expected, dict) and list(expected) == ["refused, or"]:
        return expected["refused, or"]
    return expected


def _outcome(answer: Any) -> str:
    if (data := _bytes(answer)) is not None:
        return _spaced(data) or "no bytes"
    if not isinstance(answer, str):
        return _short(answer) or "read"
    if answer.startswith("rejected"):
        return "refused"
    if answer.startswith("crashed"):
        return "the process ends"
    return "refused, or read without harm" if answer.startswith("an answer") else answer


def _short(value: Any) -> str:
    """Return a value as JSON, "" for a long one."""
    whole = _as_json(value)
    return whole if len(whole) <= _MOST_LETTERS else ""


def _as_json(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False))


def _leaves(value: Any, other: Any) -> str:
    """Return the first parts of a value that another value lacks or has differently."""
    unlike = list(_unlike(value, other, ""))[:_MOST_LEAVES]
    return ", ".join(f"{path}: {_as_json(leaf)}" for path, leaf in unlike)


def _unlike(value: Any, other: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a value that another value lacks or has differently."""
    if isinstance(value, dict) and isinstance(other, dict):
        for name in value:
            yield from _unlike(value[name], other.get(name), f"{path}.{name}".lstrip("."))
    elif isinstance(value, list) and isinstance(other, list) and len(value) == len(other):
        for index, (one, another) in enumerate(zip(value, other, strict=True)):
            yield from _unlike(one, another, f"{path}[{index}]")
    elif isinstance(value, list) and isinstance(other, list):
        yield f"{path} (elements)", len(value)
    elif value != other:
        yield path, value


def _beside(rows: Sequence[Row], right: bytes, wrong: bytes) -> list[ExampleRow]:
    """Return the rows around the first field in which the wrong bytes differ."""
    theirs = [wrong[row.offset : row.end] for row in rows]
    if behind := wrong[len(right) :]:
        rows = [*rows, Row(len(right), b"", AFTER_THE_END)]
        theirs.append(behind)
    unlike = [index for index, row in enumerate(rows) if row.data != theirs[index]]
    at = min(unlike, key=lambda index: ROWS.derived(rows[index]))
    near = around(rows, at)
    return [ROWS.row(rows[index], theirs[index], differs=index == at) for index in near]


def _place(rows: Sequence[Row], verdict: Verdict) -> int | None:
    for index, row in enumerate(rows):
        if row.state == "wrong":
            return index
    if verdict.first_difference:
        path = verdict.first_difference.removeprefix("header ").partition(": ")[0]
        within = path.removeprefix("records")  # as explained, a message set has no name around it
        endings = (f"{within}(length)", f"{within}(marker)", within)
        return next((i for i, row in enumerate(rows) if row.path.endswith(endings)), None)
    if said := re.search(r"offset (\d+)", str(verdict.actual)):
        at = int(said[1])
        return next((i for i, row in enumerate(rows) if row.offset <= at < row.end), None)
    return None


def _bytes(answer: Any) -> bytes | None:
    if isinstance(answer, str) and _HEX.fullmatch(answer):
        return bytes.fromhex(answer)
    return None


def _spaced(data: bytes) -> str:
    return data.hex(" ") if len(data) <= _MOST_BYTES else f"{len(data)} bytes, some of them below"


CODECS_MADE = Maker("codec", FILE, mutants, _shown)
