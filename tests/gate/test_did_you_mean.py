"""Mistakes in naming a codec, or what it is asked, say what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.codecs.checking import check
from conformance.codecs.gate import CodecSettings, near_case
from conformance.codecs.resolve import _as_module, open_target
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.codecs.testee.serve import AdapterError, check_methods
from conformance.errors import ConformanceError
from conformance.targets.errors import BadHello, TargetNotFound


class Heartbeats:
    def hello(self) -> dict[str, object]:
        messages = {"HeartbeatRequest": [0, 4]}
        return {"name": "h", "version": "1", "ops": ["decode"], "messages": messages}

    def decode(self, *_: object) -> object:
        raise ValueError("no")


class NoEncode(Heartbeats):
    def hello(self) -> dict[str, object]:
        return {**super().hello(), "ops": ["decode", "encode"]}


def test_a_codec_may_be_named_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _as_module("adapter.py:Codec") == "adapter:Codec"
    assert _as_module("./sub/adapter.py:Codec") == "sub.adapter:Codec"
    assert _as_module("package.adapter:Codec") == "package.adapter:Codec"
    with pytest.raises(TargetNotFound, match="is not in"):
        _as_module("../adapter.py:Codec")


def test_a_module_without_an_object_says_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "adapter.py").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TargetNotFound, match="adapter:Codec"):
        open_target("adapter")


def test_a_method_that_hello_declares_and_the_codec_lacks_is_named() -> None:
    codec = NoEncode()
    with pytest.raises(AdapterError, match="NoEncode has no method encode"):
        check_methods(codec, codec.hello())
    with pytest.raises(BadHello, match="object has no method hello"):
        ObjectTarget(object())


@pytest.mark.parametrize(
    ("case", "meant"),
    [
        ("HeartbeatRequest-v0-default/decode", "did you mean HeartbeatRequest-v0-defaults/decode"),
        ("HeartbeatRequest-v0-defaults", "HeartbeatRequest-v0-defaults/decode"),
        ("HeartbeatRequest-v0-defaults/encod", "HeartbeatRequest-v0-defaults/encode"),
        ("HeartbeatRequest-v0-defaults/decode", ""),
    ],
)
def test_a_mistyped_case_says_what_was_meant(case: str, meant: str) -> None:
    assert meant in near_case(case)
    assert bool(near_case(case)) == bool(meant)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (CodecSettings(messages=("HeartbeatResponse",)), "did you mean HeartbeatRequest"),
        (CodecSettings(messages=("HeartbeatRequest",), versions=(9,)), "in versions 0 to 4"),
    ],
)
def test_what_is_not_declared_is_named(settings: CodecSettings, said: str) -> None:
    with pytest.raises(ConformanceError, match="nothing is selected") as raised:
        check(settings, Heartbeats())
    assert said in str(raised.value)
