"""Faults of tag sections: counts, sizes, order, and tags that are out of place."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.mutate.fault import Edit, Subject, fault, tag, uvarint
from conformance.codecs.cases.mutate.primitives import MAX_INT32, TAGGED
from conformance.codecs.cases.mutate.sites import Section
from conformance.codecs.cases.plan import UNKNOWN_TAG
from conformance.wire.writer import Writer

_VALUE = b"\x01\x02\x03"


@fault("tags.section-required", "unreadable", *TAGGED)
def _no_section(subject: Subject) -> Iterator[Edit]:
    for section in subject.sites.sections:
        if not section.entries:
            data = subject.replace(section.start, section.end, b"", section.inside)
            yield Edit(f"no-section:{_at(section)}", data, f"{_at(section)} has no tag section")


@fault("tags.count-beyond-input-refused", "refused", *TAGGED)
@fault("tags.count-beyond-input-refused", "refused", scope="frame")
def _count_beyond(subject: Subject) -> Iterator[Edit]:
    for section in subject.sites.sections:
        rest = subject.after(section.entries_at)
        for name, count in (("rest+1", rest + 1), ("most", MAX_INT32)):
            why = f"{_at(section)} announces {count} tagged fields, with {rest} bytes left"
            yield Edit(f"{name}:{_at(section)}", subject.with_count(section, count), why)


@fault("tags.count-above-int32", "refused", *TAGGED)
@fault("tags.count-above-int32", "refused", scope="frame")
def _count_above_int32(subject: Subject) -> Iterator[Edit]:
    for section in subject.sites.sections:
        for name, count in (("2^31", 2**31), ("2^32-1", 2**32 - 1)):
            why = f"{_at(section)} announces {name} tagged fields"
            yield Edit(f"{name}:{_at(section)}", subject.with_count(section, count), why)


@fault("tags.size-beyond-input-refused", "refused", *TAGGED)
@fault("tags.size-beyond-input-refused", "refused", scope="frame")
def _size_beyond(subject: Subject) -> Iterator[Edit]:
    for section in subject.sites.sections:
        rest = len(_VALUE) + subject.after(section.end)
        for name, size in (("rest+1", rest + 1), ("most", MAX_INT32)):
            data = subject.with_entries(section, tag(_free(section), size, _VALUE))
            why = f"a tag in {_at(section)} has size {size}, with {rest} bytes left"
            yield Edit(f"{name}:{_at(section)}", data, why)


@fault("tags.size-above-int32", "survived", *TAGGED)
@fault("tags.size-above-int32", "survived", scope="frame")
def _size_above_int32(subject: Subject) -> Iterator[Edit]:
    for section in subject.sites.sections:
        for name, size in (("2^31", 2**31), ("2^32-1", 2**32 - 1)):
            data = subject.with_entries(section, tag(_free(section), size, _VALUE))
            yield Edit(f"{name}:{_at(section)}", data, f"a tag in {_at(section)} has size {name}")


@fault("tags.unsorted-accepted", "lenient", *TAGGED)
@fault("tags.unsorted-accepted", "lenient", scope="frame")
def _unsorted(subject: Subject) -> Iterator[Edit]:
    for section in subject.sites.sections:
        number = _free(section)
        entries = tag(number + 1, 3, _VALUE), tag(number, 2, _VALUE[:2])
        data = subject.with_entries(section, *entries)
        why = f"tag {number} follows tag {number + 1} in {_at(section)}"
        yield Edit(f"unknown:{_at(section)}", data, why)
        if len(section.entries) > 1:
            first, *others = (subject.data[e.start : e.end] for e in section.entries)
            new = uvarint(len(section.entries)) + b"".join((*others, first))
            data = subject.replace(section.start, section.end, new, section.inside)
            yield Edit(f"known:{_at(section)}", data, f"the first tag of {_at(section)} is last")


@fault("tags.duplicate-known", "lenient", "tagged-*")
def _duplicate_known(subject: Subject) -> Iterator[Edit]:
    for section in subject.sites.sections:
        for entry in section.entries:
            if entry.known:
                data = subject.with_entries(section, _default(section, entry.number))
                why = f"tag {entry.number} of {_at(section)} comes again, at its default"
                yield Edit(f"twice-{entry.number}:{_at(section)}", data, why)


@fault("tags.duplicate-unknown", "lenient")
@fault("tags.duplicate-unknown", "lenient", scope="frame")
def _duplicate_unknown(subject: Subject) -> Iterator[Edit]:
    for section in subject.sites.sections:
        number = _free(section)
        entries = tag(number, 3, _VALUE), tag(number, 2, _VALUE[:2])
        why = f"tag {number} of {_at(section)} is given twice"
        yield Edit(f"twice:{_at(section)}", subject.with_entries(section, *entries), why)


@fault("tags.known-size-disagrees", "lenient", "tagged-*")
def _other_size(subject: Subject) -> Iterator[Edit]:
    for section in subject.sites.sections:
        for entry in section.entries:
            size = entry.end - entry.value_at
            for name, other in (("less", size - 1), ("more", size + 1))[not size :]:
                data = subject.replace(
                    entry.size_at, entry.value_at, uvarint(other), section.inside
                )
                why = f"tag {entry.number} of {_at(section)} has size {other} for {size} bytes"
                yield Edit(f"size-{name}-{entry.number}:{_at(section)}", data, why)


@fault("tags.of-other-version-refused", "refused", *TAGGED)
def _of_other_version(subject: Subject) -> Iterator[Edit]:
    for section in subject.sites.sections:
        for number in section.layout.other_tags:
            if all(entry.number < number for entry in section.entries):
                data = subject.with_entries(section, tag(number, 3, _VALUE))
                why = f"tag {number} of {_at(section)} belongs to other versions"
                yield Edit(f"tag-{number}:{_at(section)}", data, why)


def _default(section: Section, number: int) -> bytes:
    """A known tagged field at its default."""
    item, writer = section.layout.by_tag[number], Writer()
    writer.tagged_value(item.type, item.default, item.name)
    return tag(number, len(writer.out), bytes(writer.out))


def _free(section: Section) -> int:
    """A tag above those of the section that has no definition."""
    return max((UNKNOWN_TAG, *(entry.number + 1 for entry in section.entries)))


def _at(section: Section) -> str:
    return section.path or "message"
