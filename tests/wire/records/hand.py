"""Batches of records by hand, from the protocol guide, and from none of our own code.

The checksum is counted a bit at a time, as its polynomial says.
"""

from __future__ import annotations

import struct
from typing import Any

CASTAGNOLI = 0x82F63B78
"""The polynomial of CRC-32C, its lowest bit first."""

FIELDS = {
    "baseOffset": 0,
    "partitionLeaderEpoch": -1,
    "attributes": 0,
    "lastOffsetDelta": 0,
    "baseTimestamp": 1000,
    "maxTimestamp": 1000,
    "producerId": -1,
    "producerEpoch": -1,
    "baseSequence": -1,
}
"""The fields of a batch whose producer is nobody."""

RECORD = bytes.fromhex("10 00 00 00 02 6b 02 76 00")
"""8 bytes: attributes 0, deltas 0 and 0, "k", "v", no header."""
RECORD_VALUE = {
    "attributes": 0,
    "timestampDelta": 0,
    "offsetDelta": 0,
    "key": "aw==",
    "value": "dg==",
    "headers": [],
}

WHOLE = bytes.fromhex(
    "0000000000000000"  # baseOffset
    "0000003a"  # batchLength: 58 bytes follow
    "ffffffff"  # partitionLeaderEpoch
    "02"  # magic
    "716a6189"  # crc, of all that follows
    "0000"  # attributes
    "00000000"  # lastOffsetDelta
    "00000000000003e8"  # baseTimestamp
    "00000000000003e8"  # maxTimestamp
    "ffffffffffffffff"  # producerId
    "ffff"  # producerEpoch
    "ffffffff"  # baseSequence
    "00000001"  # the count of records
    "10 00 00 00 02 6b 02 76 00"
)
WHOLE_VALUE = {**FIELDS, "records": [RECORD_VALUE]}


def crc32c(data: bytes) -> int:
    """CRC-32C (RFC 3720, appendix B.4)."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (CASTAGNOLI if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def batch(
    records: bytes = RECORD,
    *,
    count: int = 1,
    magic: int = 2,
    crc: int | None = None,
    length: int | None = None,
    **fields: int,
) -> bytes:
    """A batch of these bytes of records; what it says of itself is right unless it is given."""
    said = {**FIELDS, **fields}
    checked = struct.pack(
        ">hiqqqhii",
        *(said[name] for name in list(FIELDS)[2:]),
        count,
    )
    checked += records
    crc = crc32c(checked) if crc is None else crc
    behind = struct.pack(">ibI", said["partitionLeaderEpoch"], magic, crc) + checked
    head = struct.pack(">qi", said["baseOffset"], len(behind) if length is None else length)
    return head + behind


def value(*records: dict[str, Any], **fields: int) -> dict[str, Any]:
    """The value of a batch of these records."""
    return {**FIELDS, **fields, "records": list(records)}


def record(**fields: Any) -> dict[str, Any]:
    """The value of RECORD with other fields."""
    return {**RECORD_VALUE, **fields}
