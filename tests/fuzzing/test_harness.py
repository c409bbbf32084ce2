"""What makes an execution suspicious."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from conformance.codecs.testee.in_process import ObjectTarget
from conformance.fuzzing.harness import Harness
from conformance.fuzzing.inputs import InputSubject
from conformance.reference.codec import ReferenceCodec
from conformance.wire.errors import WireError

SUBJECT = InputSubject("ApiVersionsRequest", 3)
WELL_FORMED = bytes.fromhex("0261026200")
TRAILING = bytes.fromhex("026102620000")
MALFORMED = bytes.fromhex("026102")


def suspicions(codec: Any, *inputs: bytes, times: int = 1, **options: Any) -> list[str]:
    said: list[str] = []
    hello = ObjectTarget(ReferenceCodec()).hello
    harness = Harness(codec, hello, lambda why, _: said.append(why), lambda *_: None, **options)
    for data in inputs * times:
        harness.execute(SUBJECT.head + data)
    return said


class Raising(ReferenceCodec):
    error: type[Exception] = KeyError

    def decode(self, message: str, version: int, data: bytes) -> Any:
        raise self.error


def test_the_reference_codec_is_not_suspicious():
    for data in (WELL_FORMED, TRAILING, MALFORMED, b""):
        assert suspicions(ReferenceCodec(), data, times=20, own_errors=(WireError,)) == []


def test_an_error_that_is_not_its_own_is():
    assert suspicions(Raising(), MALFORMED, own_errors=(WireError,)) == [
        "KeyError from test_harness.py:decode"
    ]


def test_an_error_of_any_kind_is_a_refusal_where_none_is_its_own():
    assert suspicions(Raising(), MALFORMED) == []


def test_a_refusal_of_what_everybody_reads_is():
    assert suspicions(Raising(), WELL_FORMED) == ["refused: KeyError from test_harness.py:decode"]


def test_one_that_nobody_catches_is_whatever_was_read():
    class Deep(Raising):
        error = RecursionError

    assert suspicions(Deep(), MALFORMED) == ["RecursionError from test_harness.py:decode"]


def test_another_value_is():
    class Shouting(ReferenceCodec):
        def decode(self, message: str, version: int, data: bytes) -> Any:
            value, left = super().decode(message, version, data)
            return {**value, "clientSoftwareName": value["clientSoftwareName"].upper()}, left

    assert suspicions(Shouting(), WELL_FORMED) == [
        "another value at ApiVersionsRequest.clientSoftwareName"
    ]


def test_to_take_what_is_malformed_is():
    class Taking(ReferenceCodec):
        def decode(self, message: str, version: int, data: bytes) -> Any:
            return {"clientSoftwareName": "", "clientSoftwareVersion": ""}, 0

    assert suspicions(Taking(), MALFORMED) == ["taken: LengthError in ApiVersionsRequest"]


def test_what_can_not_be_written_again_is():
    class Mute(ReferenceCodec):
        def encode(self, message: str, version: int, value: Any) -> bytes:
            raise KeyError

    assert suspicions(Mute(), WELL_FORMED, times=3) == ["not written again: KeyError"] * 3


GREEDY = """
from conformance.reference.codec import ReferenceCodec
from tests.fuzzing.test_harness import MALFORMED, WELL_FORMED, suspicions

class Greedy(ReferenceCodec):
    def decode(self, message, version, data):
        len(b"x" * ((20 if data == MALFORMED else 300) * 1024 * 1024))
        return super().decode(message, version, data)

for inputs in (MALFORMED, MALFORMED), (MALFORMED, WELL_FORMED):
    print("memory" in suspicions(Greedy(), *inputs))
"""


def test_much_more_memory_than_ever_is():
    """In a process of its own: what counts is the most that it ever had, and not its parent."""
    len(b"x" * (600 * 1024 * 1024))
    done = subprocess.run(
        [sys.executable, "-c", GREEDY], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["False", "True"]
