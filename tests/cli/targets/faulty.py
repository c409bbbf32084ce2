"""Codecs to be judged as `faulty:Name`: the reference on a few messages, each wrong in one way."""

import os
import sys
import time
from pathlib import Path

from conformance.reference.codec import ReferenceCodec

MESSAGES = {"MetadataRequest": [0, 13], "ControlledShutdownResponse": [0, 3]}


class Right(ReferenceCodec):
    name = "right"

    def hello(self):
        return {**super().hello(), "messages": MESSAGES}


class RefusesNulls(Right):
    def decode(self, message, version, data):
        value, remaining = super().decode(message, version, data)
        if None in value.values():
            raise ValueError(f"null in {message}")
        return value, remaining

    def roundtrip(self, message, version, data):
        return self.encode(message, version, self.decode(message, version, data)[0])


class RefusesNullsAndWritesNone(RefusesNulls):
    """As that one, and in its own way wrong with the same messages."""

    def encode(self, message, version, value):
        if None in value.values():
            value = {**value, "topics": []}
        return super().encode(message, version, value)


class RefusesAll(Right):
    def refuse(self, *_arguments):
        raise ValueError("no")

    decode = roundtrip = encode = refuse
    decode_request = encode_request = refuse
    decode_response = encode_response = refuse


class Dies(Right):
    """Of version 1 of MetadataRequest."""

    def encode(self, message, version, value):
        if message == "MetadataRequest" and version == 1:
            print("assertion failed", file=sys.stderr, flush=True)
            os._exit(134)
        return super().encode(message, version, value)


class Hangs(Right):
    """At version 1 of MetadataRequest."""

    def encode(self, message, version, value):
        if message == "MetadataRequest" and version == 1:
            time.sleep(3600)
        return super().encode(message, version, value)


class Slow(Right):
    """Takes so long for each call that a run can be interrupted in the middle."""

    calls = 0

    def decode(self, message, version, data):
        self.calls += 1
        time.sleep(0.05)
        if self.calls == 10:
            self.tell()
        return super().decode(message, version, data)

    def tell(self):
        """Let the test know that the run is under way."""
        Path(os.environ["FAULTY_TELLS"], str(os.getpid())).touch()


class Stuck(Slow):
    """Answers a few calls, and then no more, whatever happens to its stdin."""

    def decode(self, message, version, data):
        if self.calls > 3:
            self.tell()
            time.sleep(3600)
        return super().decode(message, version, data)


class DecimalText(ReferenceCodec):
    """Takes 64-bit integers as text and nothing else, and gives them as text."""

    def hello(self):
        messages = {"OffsetFetchResponse": [0, 10], "ConsumerGroupHeartbeatRequest": [0, 1]}
        return {
            **super().hello(),
            "messages": {**messages, "ListOffsetsRequest": [1, 10]},
            "int64": "string",
        }

    def encode(self, message, version, value):
        return super().encode(message, version, _numbers(value))

    def encode_request(self, message, version, header, value):
        return super().encode_request(message, version, header, _numbers(value))

    def encode_response(self, message, version, header, value):
        return super().encode_response(message, version, header, _numbers(value))


_WIDE = ("committedOffset", "timestamp")


def _numbers(value):
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if not isinstance(value, dict):
        return value
    wrong = [name for name in _WIDE if name in value and not isinstance(value[name], str)]
    if wrong:
        raise TypeError(f"{wrong[0]} is no text")
    return {name: int(item) if name in _WIDE else _numbers(item) for name, item in value.items()}


not_a_codec = 7
