"""Frames for captures: requests and answers, with their sizes, as a proper codec writes them."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from conformance.captures.audit.auditing import audit_part
from conformance.captures.audit.tables import FrameVerdict, Row, Tables
from conformance.reference.codec import ReferenceCodec
from tests.captures.writing import Line, pcap, written

CODEC = ReferenceCodec()
NAMES = {"clientSoftwareName": "black", "clientSoftwareVersion": "1.2"}


def sized(frame: bytes) -> bytes:
    return struct.pack(">i", len(frame)) + frame


def request(api: str, version: int, value: dict[str, Any], number: int, client: str = "c") -> bytes:
    """A request without its size."""
    header = {"correlationId": number, "clientId": client}
    full = CODEC.form(f"{api}Request", version).layout.default_value() | value
    return CODEC.encode_request(f"{api}Request", version, header, full)


def response(api: str, version: int, value: dict[str, Any], number: int) -> bytes:
    """An answer without its size."""
    full = CODEC.form(f"{api}Response", version).layout.default_value() | value
    return CODEC.encode_response(f"{api}Response", version, {"correlationId": number}, full)


def hello(number: int = 1, version: int = 3) -> bytes:
    return request("ApiVersions", version, NAMES if version >= 3 else {}, number)


def greeting(number: int = 1, version: int = 3) -> bytes:
    listed = [{"apiKey": 18, "minVersion": 0, "maxVersion": 4}]
    return response("ApiVersions", version, {"apiKeys": listed}, number)


def exchanged(*pairs: tuple[bytes, bytes], line: Line | None = None) -> Line:
    """A connection on which each request was answered."""
    line = (line or Line()).opens()
    for asked, answered in pairs:
        line.asks(sized(asked)).answers(sized(answered))
    return line.closes()


def audited(path: Path, **options: Any) -> tuple[Tables, list[FrameVerdict]]:
    """What an audit of a capture says, added up, and each verdict."""
    rows: list[Row] = list(audit_part([path], **options))
    tables = Tables()
    for row in rows:
        tables.take(row)
    return tables, [row for row in rows if isinstance(row, FrameVerdict)]


def audited_line(folder: Path, line: Line, **options: Any) -> tuple[Tables, list[FrameVerdict]]:
    return audited(written(folder / "line.pcap", pcap(line.packets)), **options)


def broken(verdicts: list[FrameVerdict]) -> set[str]:
    """The rules that were broken, be it only to be noted."""
    return {each.verdict.rule for each in verdicts if each.verdict.verdict != "pass"}
