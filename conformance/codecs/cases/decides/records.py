"""Batches of records: here each shape asks one question, so a rule is a list of shapes."""

from __future__ import annotations

from conformance.codecs.cases.decides.predicates import PREDICATES
from conformance.codecs.cases.evidence import Evidence
from conformance.schema.primitives import KIND as PRIMITIVE
from conformance.schema.record_batch import MAGIC

_COMPRESSED = ("gzip", "snappy", "lz4", "zstd")
_SHAPES = {
    "header-layout": ("every-field", "all-highest", "all-lowest", "all-zero", "idempotent"),
    "magic-is-two": ("plain", "empty-batch"),
    "length-counts-rest": ("plain", "empty-batch"),
    "crc32c-castagnoli": ("plain", "empty-batch"),
    "crc-from-attributes": ("plain", "empty-batch"),
    "attributes-bits": ("log-append-time", "transactional", "delete-horizon", "attributes-all"),
    "control-batch": ("control",),
    "compression-numbers": _COMPRESSED,
    "compression-after-count": _COMPRESSED,
    "snappy-xerial": ("snappy",),
    "lz4-frame": ("lz4",),
    "lz4-blocks-independent": ("lz4",),
    "timestamp-delta-varlong": ("timestamp-delta",),
    "offset-delta-varint": ("offset-delta", "offset-gaps"),
    "offset-gaps-kept": ("offset-gaps", "last-offset-beyond"),
    "varint-zigzag": ("offset-delta",),
    "varlong-zigzag": ("timestamp-delta",),
    "null-is-minus-one": ("null-key", "null-value", "least-record"),
    "empty-not-null": ("empty-key", "empty-value", "header-empty-value", "headers"),
    "lengths-are-bytes": ("key-length", "value-length", "header-length", "header-utf8"),
    "header-value-nullable": ("header-null-value", "headers"),
    "headers-in-order": ("headers",),
    "header-key-utf8": ("header-utf8", "header-empty-key"),
    "record-length-counts-rest": ("plain", "least-record", "record-length"),
    "count-is-int32": ("thousand",),
    "empty-batch-legal": ("empty-batch",),
}


_ALONE = {"varint-zigzag": "varint", "varlong-zigzag": "varlong"}
"""The types that `Primitives` asks for by themselves, by the rule about each."""


def _decides(evidence: Evidence, rule: str) -> bool:
    if evidence.form.type == PRIMITIVE:
        kind = _ALONE.get(rule)
        return kind is not None and evidence.has(kind)
    return evidence.form.layout.batch and evidence.shape in _SHAPES[rule]


for _rule in _SHAPES:
    PREDICATES[f"records.{_rule}"] = lambda evidence, rule=_rule: _decides(evidence, rule)  # type: ignore[misc]

_OLD = {
    "layout": ("plain", "two", "offset-gaps", "offset-highest", "time", "value-length"),
    "crc-32": ("plain",),
    "null-is-minus-one": ("null-key", "null-value"),
    "empty-not-null": ("empty-key", "empty-value"),
    "compressed-in-one": ("gzip-first", "snappy-first", "lz4-first"),
    "log-append-time": ("log-append-time",),
}


def _of_format(evidence: Evidence, magics: tuple[int, ...], shapes: tuple[str, ...]) -> bool:
    return evidence.form.layout.magic in magics and evidence.shape in shapes


for _rule, _of in _OLD.items():
    PREDICATES[f"message-sets.{_rule}"] = lambda evidence, of=_of: _of_format(evidence, (0, 1), of)  # type: ignore[misc]
for _magic, _rule in enumerate(
    (
        "message-sets.inner-offsets-whole",
        "message-sets.inner-offsets-relative",
        "records.whole-offsets-and-times",
    )
):
    _of = (*_COMPRESSED, "gzip-gaps", *(("two", "offset-gaps") if _magic == MAGIC else ()))
    PREDICATES[_rule] = lambda evidence, of=_of, magic=_magic: _of_format(evidence, (magic,), of)  # type: ignore[misc]
