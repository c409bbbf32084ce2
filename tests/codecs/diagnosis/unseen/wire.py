"""Bytes, without any definition: what a reader takes and a writer puts."""

import base64
import math
import struct
from typing import Any

NUMBERS = {
    "int8": ">b",
    "int16": ">h",
    "uint16": ">H",
    "int32": ">i",
    "uint32": ">I",
    "int64": ">q",
    "float64": ">d",
}


class WireError(Exception):
    """What was read is no such message, or what was to be written can't be one."""


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, size: int) -> bytes:
        if size < 0 or size > self.left():
            raise WireError(f"{size} bytes are due, {self.left()} are left")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, kind: str) -> Any:
        form = NUMBERS[kind]
        value = struct.unpack(form, self.take(struct.calcsize(form)))[0]
        if kind == "float64" and not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return value

    def varint(self) -> int:
        value = 0
        for shift in range(0, 35, 7):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value >= 1 << 32:
                    raise WireError("a varint above 32 bits")
                return value
        raise WireError("a varint of more than five bytes")

    def boolean(self) -> bool:
        return self.take(1) != b"\0"

    def uuid(self) -> str:
        return base64.urlsafe_b64encode(self.take(16)).decode().rstrip("=")

    def length(self, kind: str, compact: bool) -> int:
        """Of a string, bytes, records or an array; -1 is null."""
        if compact:
            return self.varint() - 1
        size: int = self.number("int16" if kind == "string" else "int32")
        if size < -1:
            raise WireError(f"a length of {size}")
        return size

    def string(self, compact: bool) -> str | None:
        size = self.length("string", compact)
        return None if size < 0 else self.text(size)

    def text(self, size: int) -> str:
        return self.take(size).decode()

    def blob(self, kind: str, compact: bool) -> str | None:
        size = self.length(kind, compact)
        return None if size < 0 else base64.b64encode(self.take(size)).decode()

    def count(self, compact: bool) -> int:
        count = self.length("array", compact)
        if count > self.left():
            raise WireError(f"{count} elements are due, {self.left()} bytes are left")
        return count

    def present(self, tagged: bool) -> bool:
        """The byte before a struct that may be null, which differs in a tagged field."""
        byte = self.number("int8")
        if byte not in {0 if tagged else -1, 1}:
            raise WireError(f"a struct that may be null begins with {byte}")
        return bool(byte == 1)


class Writer:
    def __init__(self) -> None:
        self.out = bytearray()

    def put(self, data: bytes) -> None:
        self.out += data

    def number(self, kind: str, value: Any) -> None:
        self.put(struct.pack(NUMBERS[kind], float(value) if kind == "float64" else value))

    def varint(self, value: int) -> None:
        while value > 0x7F:
            self.out.append(value & 0x7F | 0x80)
            value >>= 7
        self.out.append(value)

    def boolean(self, value: bool) -> None:
        self.put(b"\1" if value else b"\0")

    def uuid(self, value: str) -> None:
        data = base64.urlsafe_b64decode(value + "==")
        if len(data) != 16:
            raise WireError(f"a uuid of {len(data)} bytes")
        self.put(data)

    def length(self, kind: str, size: int, compact: bool) -> None:
        """Of a string, bytes, records or an array; -1 is null."""
        if compact:
            self.varint(size + 1)
        else:
            self.number("int16" if kind == "string" else "int32", size)

    def string(self, value: str | None, compact: bool) -> None:
        data = None if value is None else value.encode()
        self.length("string", -1 if data is None else len(data), compact)
        self.put(data or b"")

    def blob(self, kind: str, value: str | None, compact: bool) -> None:
        data = None if value is None else base64.b64decode(value, validate=True)
        self.length(kind, -1 if data is None else len(data), compact)
        self.put(data or b"")

    def count(self, count: int, compact: bool) -> None:
        self.length("array", count, compact)

    def present(self, present: bool, tagged: bool) -> None:
        """The byte before a struct that may be null, which differs in a tagged field."""
        self.number("int8", 1 if present else 0 if tagged else -1)
