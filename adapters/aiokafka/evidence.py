"""What aiokafka gets wrong, by its own classes alone: an object of JSON for each rule broken.

A case is the Python that a user of the library would write, run here as it is printed; `data` is
what came in. Ends with a status other than 0 where one of them does otherwise by now.
"""

import base64
import io
import json
import sys

from aiokafka.protocol import admin, coordination, metadata, types


def show(result):
    return result.hex() if isinstance(result, bytes) else repr(result)


def tags(*numbers):
    return [{"tag": tag, "bytes": base64.b64encode(b"ab").decode()} for tag in numbers]


GROUPS = "DescribeGroupsResponse", 3
DESCRIBE = "admin.DescribeGroupsRequest_v3.RESPONSE_TYPE.decode(data)"
GROUP = "00000000 00000001 0000 000167 0000 0000 0000 00000000"  # with no members, and then
WITHOUT_OPERATIONS = (
    "DescribeGroupsResponse_v2(throttle_time_ms=0, groups=[(error_code=0, group='g', state='', "
    "protocol_type='', protocol='', members=[])])"
)
LIST = "ListPartitionReassignmentsRequest", 0
REASSIGNMENTS = "admin.ListPartitionReassignmentsRequest_v0"
AGAIN = f"{REASSIGNMENTS}.decode(data).encode()"
CASES = [  # rules; op, message and version; bytes or value; call; what comes of it
    (
        ["primitives.null-not-written"],
        ("encode", "FindCoordinatorRequest", 0),
        {"key": None},
        "coordination.FindCoordinatorRequest_v0(None).encode()",
        "ffff",
    ),
    (
        ["nullable-structs.null-not-written"],
        ("encode", "MetadataRequest", 0),
        {"topics": [None]},
        "metadata.MetadataRequest_v0([None]).encode()",
        "00000001ffff",
    ),
    (
        ["compact.null-not-written"],
        ("encode", "AlterPartitionReassignmentsRequest", 0),
        {"timeoutMs": 0, "topics": None},
        "admin.AlterPartitionReassignmentsRequest_v0(0, None, {}).encode()",
        "000000000000",
    ),
    (
        ["response-header.v0-fields"],
        ("decode-response", *GROUPS),
        f"00000001 {GROUP} 80000000",
        "read_response(admin.DescribeGroupsRequest_v3([], True), data)",
        WITHOUT_OPERATIONS,
    ),
    (
        [
            "framing.nothing-after-end",
            "primitives.array-count-int32",
            "primitives.bytes-length-int32",
            "primitives.integers-big-endian",
            "primitives.integers-signed",
            "primitives.string-counts-bytes",
            "primitives.string-length-int16",
            "primitives.string-plain-utf8",
            "versions.field-order",
            "versions.field-types",
            "versions.only-fields-of-version",
        ],
        ("decode", *GROUPS),
        f"{GROUP} 80000000",
        DESCRIBE,
        WITHOUT_OPERATIONS,
    ),
    (
        [
            "primitives.varint-groups",
            "tags.size-is-plain-length",
            "tags.unknown-merged-in-order",
            "tags.unknown-skipped",
        ],
        ("roundtrip", *LIST),
        "00000000 00 01 904e 02 6162",
        AGAIN,
        "000000000001904e6162",
    ),
    (
        ["tags.unknown-empty-value"],
        ("roundtrip", *LIST),
        "00000000 00 01 904e 00",
        AGAIN,
        "000000000001904e",
    ),
    (
        ["tags.unknown-high-tag"],
        ("roundtrip", *LIST),
        "00000000 00 01 feffffff07 02 6162",
        AGAIN,
        "000000000001feffffff076162",
    ),
    (
        ["tags.unknown-skipped-in-element"],
        ("roundtrip", *LIST),
        "00000000 02 0261 01 01 904e 02 6162 00",
        AGAIN,
        "000000000202610101904e616200",
    ),
    (
        ["tags.unknown-given-out-of-order"],
        ("encode", *LIST),
        {"timeoutMs": 0, "topics": None, "_unknownTaggedFields": tags(10001, 10000)},
        f"{REASSIGNMENTS}(0, None, {{10001: b'ab', 10000: b'ab'}}).encode()",
        "000000000002914e6162904e6162",
    ),
    (
        ["records.varint-zigzag"],
        ("encode", "Primitives", 23),
        {"varint": -1},
        "types.VarInt32.encode(-1)",
        "ffffffff0f",
    ),
    (
        ["records.varlong-zigzag"],
        ("encode", "Primitives", 24),
        {"varlong": 64},
        "types.VarInt64.encode(64)",
        "c001",
    ),
]


def read_response(request, data):
    """As its connection reads an answer."""
    stream = io.BytesIO(data)
    request.parse_response_header(stream)
    return request.RESPONSE_TYPE.decode(stream)


def main():
    modules = {
        "admin": admin,
        "coordination": coordination,
        "metadata": metadata,
        "types": types,
    }
    names = modules | {"read_response": read_response}
    for rules, (op, message, version), given, call, known in CASES:
        data = bytes.fromhex(given) if isinstance(given, str) else None
        got = show(eval(call, names | {"data": data}))
        if got != known:
            sys.exit(f"{call} with {given}: {got}, no longer {known}")
        about = {"call": call, "op": op, "message": message, "version": version, "got": got}
        what = {"bytes": data.hex()} if data else {"value": given}
        for rule in rules:
            print(json.dumps({"rule": rule, **about, **what}))


if __name__ == "__main__":
    main()
