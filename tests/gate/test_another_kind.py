"""A kind of target that the gate has never heard of is judged like the others.

This file is all that it takes: settings, a gate, and the object that names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from conformance.gate.gate import Gate
from conformance.gate.kind import Comparison, Kind
from conformance.gate.options import RunOptions
from conformance.gate.session import judge_targets
from conformance.gate.settings import ALONE, Settings
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Cause
from conformance.reporting.sorts import Sort
from conformance.results.lines import Verdict, VerdictName
from conformance.testee_protocol import Hello, Support, Target

MESSAGE, RULE = "MetadataRequest", "primitives.null-array"


class Gateway(nullcontext["Gateway"]):
    """A target that answers null with null if it is `right`."""

    def __init__(self, right: bool) -> None:
        super().__init__(self)
        self.right = right
        self.notes: list[str] = []
        self.hello = Hello(
            name="gateway",
            version="1",
            ops=frozenset(),
            messages={MESSAGE: Support(((0, 1),), frozenset())},
        )

    def ask(self, requests: object) -> Iterator[Any]:
        """Answer nothing: its gate asks it directly."""
        del requests
        return iter(())

    def close(self) -> None:
        """Keep nothing."""


class GatewaySettings(Settings, frozen=True, kw_only=True):
    """Whether the gateway does well."""

    right: bool

    def open(self) -> Target:
        """Return the gateway."""
        return Gateway(self.right)

    def gate(self, target: Target | None = None, name: str = ALONE) -> Gate[Any]:
        """Return its gate."""
        return GatewayGate(self, target, name)


class GatewayGate(Gate[GatewaySettings]):
    """Asks one case."""

    def groups(self, hello: Hello, /) -> list[tuple[str, str]]:
        """Return the one item."""
        return [(message, RULE.partition(".")[0]) for message in hello.messages]

    def _run(self, message: str) -> Iterator[Verdict]:
        assert isinstance(self.target, Gateway)
        verdict: VerdictName = "pass" if self.target.right else "fail"
        yield Verdict(
            rule=RULE,
            class_="must",
            case=f"{message}-v1-null-topics/decode",
            message=message,
            version=1,
            op="decode",
            outcome="value",
            verdict=verdict,
            detail="" if self.target.right else "another value was read",
        )


class NothingAlike:
    """Knows no defects."""

    def take(self, verdict: Verdict, /) -> None:
        """Keep nothing."""

    def explain(self, sorts: Mapping[Sort, Cause], hello: Hello, /) -> tuple[Explained, str]:
        """Explain nothing."""
        del sorts, hello
        return Explained(), ""


@dataclass(frozen=True)
class Gateways(Kind):
    """Gateways by their names, and whether each does well."""

    right: Mapping[str, bool]
    noun, name = "codec", "gateways"  # rules that apply to codecs are asked

    def settings(self, target: str, common: dict[str, Any]) -> Settings:
        """Return the settings of a run on a gateway."""
        return GatewaySettings(right=self.right[target], **common)

    def words(self, target: str) -> list[str]:
        """Return the words of a command that judges it."""
        return ["gateway", target]

    def comparison(self, _target: str, _messages: tuple[str, ...], /) -> Comparison:
        """Return a comparison with nothing."""
        return NothingAlike()


@pytest.mark.parametrize("workers", ["0", "1"])
@pytest.mark.parametrize(("right", "code"), [(True, 0), (False, 1)])
def test_another_kind_is_judged(right: bool, code: int, workers: str, tmp_path: Path) -> None:
    shown = Console(file=StringIO(), width=100)
    results = tmp_path / "results.ndjson"
    options = RunOptions(Gateways({"mine": right}), results=results, workers=workers)
    assert judge_targets(["mine"], options, shown) == code
    assert isinstance(shown.file, StringIO)
    said = shown.file.getvalue()
    assert ("kafka-conformance gateway mine --case" in said) == (not right)
    assert RULE in results.read_text()
