"""What kio gets wrong, by its own functions alone: an object of JSON for each rule broken.

A case is the Python that a user of the library would write, run here as it is printed; `data` is
what came in. Ends with a status other than 0 where one of them does otherwise by now.
"""

# ruff: noqa: F401 (the calls use them)

import io
import json
import sys

from kio.records.readers import read_batch
from kio.schema.add_offsets_to_txn.v4.response import AddOffsetsToTxnResponse
from kio.schema.alter_replica_log_dirs.v1 import request as inflexible
from kio.schema.alter_replica_log_dirs.v2 import request as flexible
from kio.schema.describe_cluster.v0.request import DescribeClusterRequest
from kio.schema.describe_user_scram_credentials.v0.request import (
    DescribeUserScramCredentialsRequest,
)
from kio.schema.fetch_snapshot.v1.request import FetchSnapshotRequest
from kio.schema.list_config_resources.v0.request import ListConfigResourcesRequest
from kio.schema.update_raft_voter.v0.response import UpdateRaftVoterResponse
from kio.serial import entity_reader, entity_writer


def read(schema, data):
    return entity_reader(schema)(data, 0)[0]


def written(entity):
    buffer = io.BytesIO()
    entity_writer(type(entity))(buffer, entity)
    return buffer.getvalue()


def timestamps(batch):
    return [str(record.timestamp) for record in batch.records]


LIST = "decode", "ListConfigResourcesRequest", 0
READ_LIST = "read(ListConfigResourcesRequest, data)"
TAG = "01 904e 02 6162"
UNKNOWN = "KeyError: Unknown tagged field tag: 10000"
BATCH = "decode", "RecordBatch", 2
TIMES = "timestamps(read_batch(data, 0)[0])"
CASES = [  # rules; op, message and version; bytes or value; call; what comes of it
    (
        ["compact.null-not-written"],
        ("encode", "AlterReplicaLogDirsRequest", 2),
        {"dirs": None},
        "written(flexible.AlterReplicaLogDirsRequest(dirs=None))",
        "0000",
    ),
    (
        ["primitives.null-not-written"],
        ("encode", "AlterReplicaLogDirsRequest", 1),
        {"dirs": None},
        "written(inflexible.AlterReplicaLogDirsRequest(dirs=None))",
        "ffffffff",
    ),
    (
        ["primitives.boolean-non-zero-true"],
        ("decode", "DescribeClusterRequest", 0),
        "02 00",
        "read(DescribeClusterRequest, data)",
        "ValueError: Invalid boolean value",
    ),
    (
        ["tags.explicit-default-read"],
        ("decode", "FetchSnapshotRequest", 1),
        "00000000 00000000 01 01 00 01 00",
        "read(FetchSnapshotRequest, data)",
        "UnexpectedNull: Unexpectedly read null where compact string/bytes was expected",
    ),
    (
        ["primitives.varint-groups", "tags.size-is-plain-length", "tags.unknown-skipped"],
        LIST,
        TAG,
        READ_LIST,
        UNKNOWN,
    ),
    (["tags.unknown-empty-value"], LIST, "01 904e 00", READ_LIST, UNKNOWN),
    (
        ["tags.unknown-high-tag"],
        LIST,
        "01 feffffff07 02 6162",
        READ_LIST,
        "KeyError: Unknown tagged field tag: 2147483646",
    ),
    (
        ["tags.unknown-skipped-in-element"],
        ("decode", "DescribeUserScramCredentialsRequest", 0),
        f"02 0261 {TAG} 00",
        "read(DescribeUserScramCredentialsRequest, data)",
        UNKNOWN,
    ),
    (
        ["tags.unknown-skipped-in-struct"],
        ("decode", "UpdateRaftVoterResponse", 0),
        f"00000000 0000 01 00 14 00000000 00000000 0261 00000000 {TAG}",
        "read(UpdateRaftVoterResponse, data)",
        UNKNOWN,
    ),
    (
        ["tags.unknown-merged-in-order"],
        ("decode", "UpdateRaftVoterResponse", 0),
        f"00000000 0000 02 00 0f 00000000 00000000 0261 00000000 00 {TAG[3:]}",
        "read(UpdateRaftVoterResponse, data)",
        UNKNOWN,
    ),
    (
        ["request-header.unknown-tag-skipped"],
        ("decode-request", "ListConfigResourcesRequest", 0),
        f"004a 0000 00000001 0000 {TAG} 00",
        "read(ListConfigResourcesRequest.__header_schema__, data)",
        UNKNOWN,
    ),
    (
        ["response-header.unknown-tag-skipped"],
        ("decode-response", "AddOffsetsToTxnResponse", 4),
        f"00000001 {TAG} 00000000 0000 00",
        "read(AddOffsetsToTxnResponse.__header_schema__, data)",
        UNKNOWN,
    ),
    (
        ["records.header-layout"],
        BATCH,
        (
            "7fffffffffffffff0000004c7fffffff02956d272a00007fffffff7fffffffffffffff7fffffffffffffff7fff"
            "ffffffffffff7fff7fffffff0000000134000000066b65790a76616c7565020c6865616465720874657874"
        ),
        TIMES,
        "ValueError: year 292278994 is out of range",
    ),
    (
        ["records.timestamp-delta-varlong"],
        BATCH,
        (
            "000000000000000000000050ffffffff02ad2340750000000000000000018bcfe568000000018c4fe56800ffff"
            "ffffffffffffffffffffffff000000013c00808080801000066b65790a76616c7565020c6865616465720874657874"
        ),
        TIMES,
        "['2023-12-09 18:44:43+00:00']",  # 648 ms before what was written
    ),
    (
        ["records.varlong-zigzag"],
        BATCH,
        (
            "00000000000000000000004cffffffff0284a1aee20000000000000000018bcfe568000000018bcfe56801ffff"
            "ffffffffffffffffffffffff0000000134000200066b65790a76616c7565020c6865616465720874657874"
        ),
        TIMES,
        "['2023-11-14 22:13:20+00:00']",  # 1 ms before what was written
    ),
]


def main():
    for rules, (op, message, version), given, call, known in CASES:
        data = bytes.fromhex(given) if isinstance(given, str) else None
        try:
            result = eval(call, globals() | {"data": data})
            got = result.hex() if isinstance(result, bytes) else str(result)
        except Exception as error:
            got = f"{type(error).__name__}: {error.args[0]}"
        if got != known:
            sys.exit(f"{call} with {given}: {got}, no longer {known}")
        about = {"call": call, "op": op, "message": message, "version": version, "got": got}
        what = {"bytes": data.hex()} if data else {"value": given}
        for rule in rules:
            print(json.dumps({"rule": rule, **about, **what}))


if __name__ == "__main__":
    main()
