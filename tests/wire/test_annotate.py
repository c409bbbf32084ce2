"""Every byte of a message has a name."""

from __future__ import annotations

from conformance.codecs.cases.plan import plan
from conformance.reference.codec import PlainCodec
from conformance.schema.releases import message_names, wire_forms
from conformance.wire.errors import LengthError
from conformance.wire.reader import BytePart, annotate

plain = PlainCodec()
(FIND, *_) = wire_forms("FindCoordinatorRequest")[4]


def end_of(parts: list[BytePart], start: int) -> int:
    """Where parts that follow each other without gap or overlap end."""
    for part in parts:
        assert part.offset == start, part
        start += part.length
    return start


def test_parts_cover_every_byte_of_every_plan_once() -> None:
    for name in message_names():
        for forms in wire_forms(name).values():
            for form in forms:
                for item in plan(form):
                    data = plain.write(form, item.value)
                    parts, error = annotate([form.layout], data)
                    assert error is None
                    assert end_of(parts, 0) == len(data), (name, form.version, item.name)


def test_parts_say_what_the_bytes_are() -> None:
    parts, _ = annotate([FIND.layout], bytes.fromhex("00 02 03 6731 01 07 01 ff"))

    assert parts == [
        (0, 1, "keyType", "int8", 0),
        (1, 1, "coordinatorKeys(length)", "uvarint", 2),
        (2, 1, "coordinatorKeys[0](length)", "uvarint", 3),
        (3, 2, "coordinatorKeys[0]", "string", "g1"),
        (5, 1, "_tags(count)", "uvarint", 1),
        (6, 1, "_tags(tag)", "uvarint", 7),
        (7, 1, "_tags(size)", "uvarint", 1),
        (8, 1, "_tags[7]", "bytes", "/w=="),
    ]


def test_parts_may_begin_behind_a_header() -> None:
    parts, error = annotate([FIND.layout], b"head" + bytes.fromhex("00 01 00"), 4)

    assert error is None
    assert end_of(parts, 4) == 7


def test_parts_end_at_the_first_fault() -> None:
    parts, error = annotate([FIND.layout], bytes.fromhex("00 02 09 6731 00"))

    assert isinstance(error, LengthError)
    assert (error.offset, error.path) == (2, "coordinatorKeys[0]")
    assert end_of(parts, 0) == 3


def test_parts_of_every_truncation_cover_what_was_read() -> None:
    (form, *_) = wire_forms("FetchRequest")[17]
    for item in plan(form):
        data = plain.write(form, item.value)
        for length in range(0, len(data), 3):
            parts, error = annotate([form.layout], data[:length])
            assert error is not None
            assert end_of(parts, 0) <= length
