"""The coordinator's records that keys and values in batches encode, as in __consumer_offsets.

Bytes are a key if their first two bytes are a type and they are read to the last byte; a value
belongs to its key, and begins with its own version. Keys of other programs seldom look like that.
"""

from __future__ import annotations

from dataclasses import replace

from conformance.explain.explainer import Explainer
from conformance.explain.explanation import Explanation
from conformance.explain.prefixed import LEGACY, key_types, leads
from conformance.wire.annotated import Row
from conformance.wire.text import text_to_bytes

_KEY, _VALUE = "Key", "Value"


def with_coordinators(found: Explanation, explainer: Explainer) -> Explanation:
    """Return batches whose keys and values name the coordinator's records that they read as."""
    names: dict[str, str] = {}
    rows = []
    for row in found.rows:
        record, _, field = row.path.rpartition(".")
        if field == "key" and _is_whole(row):
            names[record] = _key_of(row, explainer)
            rows.append(_marked(row, names[record], explainer))
        elif field == "value" and names.get(record) and _is_whole(row):
            rows.append(_marked(row, _value_name(names[record]), explainer))
        else:
            rows.append(row)
    return replace(found, rows=tuple(rows))


def _is_whole(row: Row) -> bool:
    return row.type == "bytes" and isinstance(row.value, str) and row.state == "read"


def _value_name(key: str) -> str:
    return key.removeprefix(LEGACY).removesuffix(_KEY) + _VALUE


def _key_of(row: Row, explainer: Explainer) -> str:
    """Return the name of the coordinator's key that the bytes are, "" if they are none."""
    number = int.from_bytes(text_to_bytes(row.value)[:2], "big")
    names = (name for name, lead in leads().items() if lead == "type" and number in key_types(name))
    return next((name for name in names if _read(row, name, explainer)), "")


def _marked(row: Row, name: str, explainer: Explainer) -> Row:
    title = _read(row, name, explainer) if name in leads() else ""
    return replace(row, says=f"reads as {title}") if title else row


def _read(row: Row, name: str, explainer: Explainer) -> str:
    """Return the name and version as which bytes are read to the last byte, "" if they can't be."""
    read = explainer.body(text_to_bytes(row.value), name)
    is_right = read.is_printable and not read.wrong and not read.undecided
    return read.title.partition(",")[0] if is_right else ""
