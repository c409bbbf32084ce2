"""What kafka-python gets wrong, by its own classes alone: an object of JSON for each rule broken.

A case is the Python that a user of the library would write, run here as it is printed; `data` is
what came in. Ends with a status other than 0 where one of them does otherwise by now.
"""

# ruff: noqa: F401 (the calls use them)

import json
import sys

from kafka.protocol.admin import (
    AlterReplicaLogDirsRequest,
    DeleteTopicsRequest,
    DescribeUserScramCredentialsRequest,
)
from kafka.protocol.consumer import FetchResponse, LeaveGroupRequest, SyncGroupResponse
from kafka.protocol.metadata import ApiVersionsResponse, FindCoordinatorRequest

TOPICS = "DeleteTopicsRequest.decode(data, version={0}).encode(version={0})"
NO_HEADER = "AttributeError: 'DeleteTopicsRequest' object has no attribute '_header'"
VERSIONS = "ApiVersionsResponse.decode(data, version={})"
CASES = [  # rules; op, message and version; bytes or value; call; what comes of it
    (  # an error, other than UNSUPPORTED_VERSION, in version 1: what follows is left
        [
            "primitives.array-count-int32",
            "versions.map-key-in-memory-only",
            "versions.only-fields-of-version",
        ],
        ("decode", "ApiVersionsResponse", 1),
        "0003 00000000 000075ab",
        VERSIONS.format(1),
        "ApiVersionsResponse(version=0, error_code=3, api_keys=[])",
    ),
    (
        ["response-header.v0-fields"],
        ("decode-response", "ApiVersionsResponse", 1),
        "00000001 0003 00000000 000075ab",
        "ApiVersionsResponse.decode(data, version=1, header=True)",
        "ApiVersionsResponse(version=0, error_code=3, api_keys=[])",
    ),
    (  # and in a flexible one, whose count is taken for one of version 0
        [
            "compact.array-count",
            "compact.struct-elements-end-with-tags",
            "framing.nothing-after-end",
            "primitives.integers-big-endian",
            "primitives.integers-signed",
            "tags.absent-reads-default",
            "tags.empty-section-is-zero-byte",
            "tags.section-ends-struct",
            "versions.field-order",
        ],
        ("decode", "ApiVersionsResponse", 4),
        "0003 02 0000 0000 0001 00 00000000 00",
        VERSIONS.format(4),
        (
            "error: unpack_from requires a buffer of at least 18 bytes for unpacking 6 bytes "
            "at offset 12 (actual buffer size is 15)"
        ),
    ),
    (
        ["api-versions.other-errors-in-own-version", "response-header.api-versions-stays-v0"],
        ("decode-response", "ApiVersionsResponse", 4),
        "00000001 002a 02 0000 0000 0001 00 00000000 00",
        "ApiVersionsResponse.decode(data, version=4, header=True)",
        (
            "error: unpack_from requires a buffer of at least 18 bytes for unpacking 6 bytes "
            "at offset 12 (actual buffer size is 15)"
        ),
    ),
    (
        [
            "tags.count-matches-entries",
            "tags.non-default-written",
            "tags.section-layout",
            "tags.size-is-plain-length",
        ],
        ("decode", "ApiVersionsResponse", 4),
        "0003 01 00000000 01 03 01 01",
        VERSIONS.format(4),
        (
            "error: unpack_from requires a buffer of at least 12 bytes for unpacking 6 bytes "
            "at offset 6 (actual buffer size is 11)"
        ),
    ),
    (
        ["tags.explicit-default-read"],
        ("decode", "ApiVersionsResponse", 4),
        "0003 01 00000000 01 00 01 01",
        VERSIONS.format(4),
        (
            "error: unpack_from requires a buffer of at least 12 bytes for unpacking 6 bytes "
            "at offset 6 (actual buffer size is 11)"
        ),
    ),
    (
        ["tags.values-compact"],
        ("decode", "ApiVersionsResponse", 4),
        "0003 01 00000000 01 02 08 02 0261 0001 0000 00",
        VERSIONS.format(4),
        (
            "error: unpack_from requires a buffer of at least 24 bytes for unpacking 6 bytes "
            "at offset 18 (actual buffer size is 18)"
        ),
    ),
    (
        ["primitives.varint-groups", "tags.unknown-skipped"],
        ("decode", "ApiVersionsResponse", 4),
        "0003 01 00000000 01 904e 02 6162",
        VERSIONS.format(4),
        (
            "error: unpack_from requires a buffer of at least 18 bytes for unpacking 6 bytes "
            "at offset 12 (actual buffer size is 13)"
        ),
    ),
    (
        ["tags.unknown-empty-value"],
        ("decode", "ApiVersionsResponse", 4),
        "0003 01 00000000 01 904e 00",
        VERSIONS.format(4),
        (
            "error: unpack_from requires a buffer of at least 12 bytes for unpacking 6 bytes "
            "at offset 6 (actual buffer size is 11)"
        ),
    ),
    (
        ["tags.unknown-high-tag"],
        ("decode", "ApiVersionsResponse", 4),
        "0003 01 00000000 01 feffffff07 02 6162",
        VERSIONS.format(4),
        (
            "error: unpack_from requires a buffer of at least 18 bytes for unpacking 6 bytes "
            "at offset 12 (actual buffer size is 16)"
        ),
    ),
    (
        ["tags.ascending", "tags.unknown-merged-in-order"],
        ("decode", "ApiVersionsResponse", 4),
        "0003 01 00000000 02 03 01 01 904e 02 6162",
        VERSIONS.format(4),
        (
            "error: unpack_from requires a buffer of at least 18 bytes for unpacking 6 bytes "
            "at offset 12 (actual buffer size is 16)"
        ),
    ),
    (
        ["tags.unknown-skipped-in-element"],
        ("decode", "ApiVersionsResponse", 4),
        "0003 02 0000 0000 0001 01 904e 02 6162 00000000 00",
        VERSIONS.format(4),
        (
            "error: unpack_from requires a buffer of at least 24 bytes for unpacking 6 bytes "
            "at offset 18 (actual buffer size is 20)"
        ),
    ),
    (
        ["tags.unknown-skipped-in-struct"],
        ("decode", "FetchResponse", 12),
        (
            "00000000 0000 00000000 02 0261 02 00000000 0000 0000000000000000 0000000000000000"
            "0000000000000000 01 ffffffff 00 01 01 0e 00000000 00000000 01 904e 02 6162 00 00"
        ),
        "FetchResponse.decode(data, version=12)",
        "AssertionError: ",
    ),
    (
        [
            "compact.first-flexible-version",
            "primitives.string-counts-bytes",
            "primitives.string-plain-utf8",
            "versions.field-types",
        ],
        ("roundtrip", "DeleteTopicsRequest", 4),
        "02 03c3a9 00000000 00",
        TOPICS.format(4),
        NO_HEADER,
    ),
    (
        ["primitives.string-length-int16"],
        ("roundtrip", "DeleteTopicsRequest", 3),
        "00000001 0001 61 00000000",
        TOPICS.format(3),
        NO_HEADER,
    ),
    (
        ["compact.primitive-elements-without-tags", "compact.string-elements"],
        ("roundtrip", "DeleteTopicsRequest", 5),
        "02 0261 00000000 00",
        TOPICS.format(5),
        NO_HEADER,
    ),
    (
        [
            "compact.empty-is-one",
            "compact.every-depth",
            "compact.null-is-zero",
            "primitives.uuid-byte-order",
            "primitives.zero-uuid-is-none",
        ],
        ("roundtrip", "DeleteTopicsRequest", 6),
        (
            "04 01 00000000000000000000000000000000 00 00 34409f438b821420af2c6b9ed6520939 00"
            "0261 00000000000000000000000000000000 00 00000000 00"
        ),
        TOPICS.format(6),
        NO_HEADER,
    ),
    (
        ["primitives.null-not-written"],
        ("encode", "FindCoordinatorRequest", 0),
        {"key": None},
        "FindCoordinatorRequest(key=None, version=0).encode()",
        "ffff",
    ),
    (
        ["compact.null-not-written"],
        ("encode", "AlterReplicaLogDirsRequest", 2),
        {"dirs": None},
        "AlterReplicaLogDirsRequest(dirs=None, version=2).encode()",
        "0000",
    ),
    (
        ["nullable-structs.null-not-written"],
        ("encode", "DescribeUserScramCredentialsRequest", 0),
        {"users": [None]},
        "DescribeUserScramCredentialsRequest(users=[None], version=0).encode()",
        "02000000",
    ),
]


def main():
    for rules, (op, message, version), given, call, known in CASES:
        data = bytes.fromhex(given) if isinstance(given, str) else None
        try:
            result = eval(call, globals() | {"data": data})
            got = result.hex() if isinstance(result, bytes | bytearray) else str(result)
        except Exception as error:
            got = f"{type(error).__name__}: {error}"
        if got != known:
            sys.exit(f"{call} with {given}: {got}, no longer {known}")
        about = {"call": call, "op": op, "message": message, "version": version, "got": got}
        what = {"bytes": data.hex()} if data else {"value": given}
        for rule in rules:
            print(json.dumps({"rule": rule, **about, **what}))


if __name__ == "__main__":
    main()
