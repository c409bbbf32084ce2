"""The tables of fuzzing on a cluster, in addition to those of a campaign.

    shards        a fuzzing process each: its messages and seed, and how far it came
    inputs        what a shard found that reaches something new
    corpus        what was kept of all shards' inputs, for each target: the next round's start
    suspects      inputs to be looked at, why, and how they ended the process, if they did

It shares `coverage` and `set_aside` with a campaign, where `first` is a shard's number, by round,
and in the end `verdicts`, `findings` and `runs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

_INPUT = {"message": pa.string(), "sha1": pa.string(), "bytes": pa.binary()}


def _columns(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, type_, nullable=False) for name, type_ in columns.items()])


FUZZ_SCHEMAS: Final[Mapping[str, pa.Schema]] = {
    "shards": _columns(
        shard=pa.int64(),
        messages=pa.list_(pa.string()),
        seed=pa.int64(),
        executions=pa.int64(),
        edges=pa.int64(),
        features=pa.int64(),
        restarts=pa.int64(),
        seconds=pa.float64(),
    ),
    "inputs": _columns(**_INPUT),
    "corpus": _columns(**_INPUT),
    "suspects": _columns(**_INPUT, why=pa.string(), ended=pa.string()),
}
"""The columns of each table; none of them may be missing."""
