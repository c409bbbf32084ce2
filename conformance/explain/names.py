"""Names for numbers in messages, and the messages that a name stands for."""

from __future__ import annotations

import binascii
import re
from dataclasses import replace

from conformance.error_codes import NAMES
from conformance.explain.explanation import NotAFrame
from conformance.schema.record_batch import LOG_APPEND_TIME
from conformance.schema.releases import UNDEFINED, message_names, request_names
from conformance.wire.annotated import Row
from conformance.wire.records.compression import CODECS
from conformance.wire.records.reader import COMPRESSION_BITS
from conformance.wire.text import text_to_bytes

_API_KEYS = frozenset({"requestApiKey", "apiKey"})
_ERROR_CODE = "rrorCode"
_MOST_TEXT = 4096
_UNKNOWN_TAG = re.compile(r"\b_tags\[-?\d+\]$")
_BATCH_BITS = {0x10: "transactional", 0x20: "control", 0x40: "delete horizon"}


def names_of(message: str, release: str = "", *kinds: str) -> list[str]:
    """Return the messages that a name stands for, which may lack the ending of one of these kinds.

    Raises NotAFrame if there is none.
    """
    known = {*message_names(release), *UNDEFINED}
    names = dict.fromkeys((message, *(message + kind.capitalize() for kind in kinds)))
    found = [name for name in names if name in known]
    if not found:
        listed = "`kafka-conformance schema list RELEASE` lists them"
        raise NotAFrame(f"no message {message!r}", listed)
    return found


def named(row: Row) -> Row:
    """Return a row with the name of an api key or error code, or with bytes as text."""
    field = row.path.rpartition(".")[2]
    if row.type == "bytes" and isinstance(row.value, str):
        shown = _text(row.value)
        return replace(row, text=f"{row.text} ({shown})") if shown else row
    if not isinstance(row.value, int):
        return row
    if field == "attributes" and (meant := _attributes(row.type, row.value)):
        return replace(row, text=f"{row.text} {meant}")
    if field in _API_KEYS:
        name = request_names().get(row.value)
        return replace(row, text=f"{row.text} {name.removesuffix('Request')}") if name else row
    if field.endswith(_ERROR_CODE):
        name = NAMES.get(row.value, "(no error code of Kafka's)")
        return replace(row, text=f"{row.text} {name}")
    return row


def unknown_tag(row: Row) -> str:
    """Return that no definition knows a tag, "" for a row that is no unknown tag."""
    return "no definition knows this tag" if _UNKNOWN_TAG.search(row.path) else ""


def _attributes(kind: str, value: int) -> str:
    """Return the attributes of a batch (INT16) or of an older message (INT8) in words (KIP-98)."""
    codec = value & COMPRESSION_BITS
    words = [CODECS[codec]] if 0 < codec < len(CODECS) else []
    words += ["log append time"] if value & LOG_APPEND_TIME else []
    if kind == "int16":
        words += [word for bit, word in _BATCH_BITS.items() if value & bit]
    return ", ".join(words)


def _text(base64: str) -> str:
    """Return bytes as text if they are printable text, else ""."""
    try:
        text = text_to_bytes(base64[:_MOST_TEXT]).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    return text if text.isprintable() else ""
