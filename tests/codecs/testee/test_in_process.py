"""An object of this process means the same by what it raises as one in a process of its own."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.testee.in_process import ObjectTarget
from conformance.targets.errors import BadHello
from conformance.testee_protocol import Request


class Codec:
    def __init__(self, does: Any) -> None:
        self._does = does

    def hello(self) -> dict[str, Any]:
        return {"name": "c", "version": "1", "ops": ["decode"], "messages": {"A": [0, 0]}}

    def decode(self, message: str, version: int, data: bytes) -> Any:
        if isinstance(self._does, BaseException):
            raise self._does
        return self._does


class Panic(BaseException):
    pass


@pytest.mark.parametrize(
    ("does", "kind", "text"),
    [
        (({"a": 1}, 0), "value", ""),
        (ValueError("too long"), "rejected", "too long"),
        (NotImplementedError("no"), "unsupported", "no"),
        (RecursionError("deep"), "crashed", "deep"),
        (Panic("index out of range"), "crashed", "index out of range"),
        (b"bytes", "error", "not a tuple"),
    ],
)
def test_outcomes(does: object, kind: str, text: str) -> None:
    with ObjectTarget(Codec(does)) as target:
        [outcome] = target.ask([Request(op="decode", message="A", bytes=b"x")])
    assert outcome.outcome == kind
    assert text in outcome.text


def test_a_codec_without_a_hello_is_named() -> None:
    with pytest.raises(BadHello, match="object has no method hello"):
        ObjectTarget(object())
