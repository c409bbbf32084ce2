"""Causes that the failures of a codec show by themselves, without a suspect to name.

Three kinds of answers say what is wrong with them. First, a value that has everything expected, and
also fields that its version lacks. Second, a refusal that quotes numbers which are values of a
field: the codec takes an integer for an enumeration. Third, a value or message that is right but
for one missing field: the codec reads past it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from conformance.codecs.cases.case import Case, Writes, reads_of, writes_of
from conformance.codecs.judge.compare import MISSING, SURPLUS, Difference, differences
from conformance.codecs.mutants.habits.edits import numbered
from conformance.reporting.findings import Cause
from conformance.reporting.observed import Observed
from conformance.reporting.said import alike_words
from conformance.reporting.sorts import Sort
from conformance.results.lines import Verdict
from conformance.results.text import counted
from conformance.schema.layout import Layout, WireType
from conformance.wire.errors import DecodeError
from conformance.wire.forgetful import paths, without, written_without
from conformance.wire.reader import Reader

Find = Callable[[str], Case | None]
"""A function that returns the case of an id, None if this suite makes none."""
FIELDS_OF_VERSION = "versions.only-fields-of-version"
"""The rule that surplus and lost fields break."""
FIELD_TYPES = "versions.field-types"
"""The rule that fields of another type break, or refused values of a type."""
_INDEX = re.compile(r"\[\d+\]")
"""The number of an element in a path."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+")
"""A number in the words of a refusal, not part of a word or a fraction."""
_SAYS_INVALID = re.compile(
    r"valid|unknown|recogni[sz]ed|no such|variant|\benum|member", re.IGNORECASE
)
"""The words of a refusal that calls a number invalid."""
_SAYS_LENGTH = re.compile(r"\b(?:bytes?|elements?|length|left|remaining|beyond)\b", re.IGNORECASE)
"""Words on a length or a count, which a reader that has lost its place takes from any field."""
_INTEGERS = frozenset({"int8", "int16", "int32", "uint16", "uint32"})
"""The types whose numbers an enumeration may have."""
_NOT_WELL_FORMED = "no well-formed message was written"
"""The beginning of the judge's words on bytes that are no message."""
_EXAMPLES, _MOST_ASKED = 3, 6000
"""The most cases that are looked at in a sort, and the most in all.

If three of each sort are more than 6,000, one of each is looked at. The second number bounds time,
as each case takes some milliseconds; sorts that exceed it are left to the search.
"""
_MOST_NAMED = 3
"""The most fields that a report lists by name.

A sentence with more is hard to read; the others are counted.
"""
_LOST_ON = {
    "decode": (
        "The application never learns what the peer sent in that field.",
        "gives the field",
        "keep the field in each version that has it",
    ),
    "encode": (
        "The application cannot send that field: the peer reads what follows for it, or the end.",
        "takes the field",
        "write the field in each version that has it",
    ),
    "": (
        "The application never learns what the peer sent in that field, and cannot send it.",
        "gives the field and takes it",
        "keep the field in each version that has it, and write it again",
    ),
}
"""The words on a field that is lost when decoding, when encoding, or in both.

They are the harm, what an adapter has to do, and the remedy.
"""
_MOST_FIELDS = 8
"""The most fields whose type is one enumeration.

A codec that refuses numbers in more fields refuses a type, and not numbers of an enumeration.
"""


class Failed(NamedTuple):
    """A failed case of a sort, with its verdict."""

    sort: Sort
    verdict: Verdict
    case: Case


def shown(sorts: Mapping[Sort, Cause], find: Find) -> dict[Sort, Observed]:
    """Return the causes that answers show, whatever else is wrong, by the sorts they explain."""
    failed = list(failed_of(sorts, find))
    return {**_surplus(failed), **_enumerations(failed)}


def forgotten(
    sorts: Mapping[Sort, Cause],
    find: Find,
    is_read: Callable[[str, int], bool],
    sure: bool = False,
) -> dict[Sort, Observed]:
    """Return the fields that a codec reads past, message by message, by the sorts this explains.

    A codec that does not read such fields at all loses its place in the bytes and refuses some of
    them, unless nothing follows. With `sure`, a message is left out if each of its answers may
    result from that as well. A field of the message itself is not taken as lost if `is_read` says
    that its version was read right in other cases.
    """
    by_message: dict[str, list[Failed]] = defaultdict(list)
    refused: set[tuple[str, int]] = set()
    for each in failed_of(sorts, find):
        if each.verdict.outcome == "value":
            by_message[each.verdict.message].append(each)
        else:
            refused.add((each.verdict.message, each.verdict.version))
    found: dict[Sort, Observed] = {}
    for message, failed in by_message.items():
        read = [each for each in failed if (message, each.verdict.version) not in refused]
        read = [each for each in read if not _is_kept(each, is_read)]
        if not (sure and all(map(_may_be_unread, read))):
            found |= _forgotten_of(message, read)
    return found


def failed_of(sorts: Mapping[Sort, Cause], find: Find) -> Iterator[Failed]:
    """Yield the failed cases that are looked at, within the limits above."""
    few = _EXAMPLES if _EXAMPLES * len(sorts) <= _MOST_ASKED else 1
    for sort, cause in islice(sorts.items(), _MOST_ASKED):
        for verdict in cause.examples[:few]:
            if verdict.verdict == "fail" and (case := find(verdict.case)):
                yield Failed(sort, verdict, case)


def of_all(failed: Iterable[Failed], is_so: Callable[[Failed], bool]) -> set[Sort]:
    """Return the sorts of which all examples fulfil the condition."""
    told: dict[Sort, bool] = {}
    for each in failed:
        told[each.sort] = told.get(each.sort, True) and is_so(each)
    return {sort for sort, is_whole in told.items() if is_whole}


def _surplus(failed: Sequence[Failed]) -> dict[Sort, Observed]:
    """Return the cause of the sorts whose values differ only by fields that their version lacks."""
    places: dict[tuple[str, int], list[str]] = {}

    def is_so(each: Failed) -> bool:
        found = differences_of(each)
        if not found or any(one.kind != SURPLUS for one in found):
            return False
        names = [_name(one) for one in found]
        places.setdefault((each.verdict.message, each.verdict.version), names)
        return True

    sorts = of_all(failed, is_so)
    if not sorts:
        return {}
    versions = {version for _, version in places}
    (message, version), fields = min(places.items(), key=lambda item: (item[0], item[1]))
    if len(places) == 1:
        said = f"gives fields that version {version} of {message} does not have"
        said += f": {and_more(unique(fields))}"
    else:
        which = f"version {version}" if len(versions) == 1 else "the version"
        said = f"gives fields that {which} does not have"
        said += f", such as {fields[0]} in {message} {version}"
    shown = Observed(
        said,
        FIELDS_OF_VERSION,
        harm="The application is handed values that nobody sent, as if the peer had sent them.",
        remedy=(
            "If it is the adapter that maps the library's struct to JSON, leave out there what the "
            "version that was asked does not have; else do not read it. A field that holds the "
            "default of its definition may stay."
        ),
    )
    return dict.fromkeys(sorts, shown)


def differences_of(each: Failed) -> list[Difference]:
    """Return all places where a value differs, none if no value is expected or none came."""
    reads, actual = reads_of(each.case), each.verdict.actual
    if reads is None or each.verdict.outcome != "value":
        return []
    found: list[Difference] = []
    if reads.header_layout is not None:
        if not isinstance(actual, dict) or actual.keys() != {"header", "value"}:
            return []
        found += differences(reads.header_layout, reads.header, actual["header"], reads.keeps_tags)
        actual = actual["value"]
    return found + list(differences(reads.layout, reads.value, actual, reads.keeps_tags))


def _name(one: Difference) -> str:
    """Return the path of the field in a difference, without numbers of elements."""
    return _INDEX.sub("[]", one.text.partition(":")[0])


def unique(names: Iterable[str]) -> list[str]:
    """Return the names in their order, each once."""
    return list(dict.fromkeys(names))


def and_more(names: Sequence[str]) -> str:
    """Return the first names in words, and how many more there are."""
    more = len(names) - _MOST_NAMED
    listed = ", ".join(names[:_MOST_NAMED])
    return f"{listed} and {more} more" if more > 0 else listed


def _enumerations(failed: Sequence[Failed]) -> dict[Sort, Observed]:
    """Return the cause of the sorts whose refusals always quote the number in one field."""
    alike: dict[str, list[Failed]] = defaultdict(list)
    for each in failed:
        if each.verdict.outcome == "rejected":
            words = alike_words(each.verdict.detail, each.verdict.message)
            alike[words].append(each)
    quoted = {words: found for words, of in alike.items() if (found := _numbers_of_a_field(of))}
    names = unique(name for found in quoted.values() for name in found)
    if not quoted or len(names) > _MOST_FIELDS:
        return {}
    smallest = [min(alike[words], key=_by_input) for words in quoted]
    quotes = {_NUMBER.sub("", q): q for q in (_quote(each.verdict.detail) for each in smallest)}
    examples = list(quotes.values())
    said = f"refuses numbers of {and_more(names)} that it does not list: {examples[0]}"
    if len(examples) > 1:
        said += f", and {counted(len(examples) - 1, 'other enumeration')} likewise"
    shown = Observed(
        said,
        FIELD_TYPES,
        harm="A message of a newer peer, whose enumeration lists one more number, cannot be read.",
        remedy=(
            "Keep a number that the enumeration does not list as a number: the field is an "
            "integer, and newer releases list more. An adapter may read it past the library's enum."
        ),
    )
    sorts = {each.sort for words in quoted for each in alike[words]}
    return dict.fromkeys(sorts, shown)


def _quote(detail: str) -> str:
    """Return the target's words in a refusal, in quotes."""
    return f'"{detail.split(": ", 2)[-1]}"'


def _by_input(each: Failed) -> tuple[int, str]:
    """Return a sort key by which the case with the shortest input comes first."""
    return len(str(each.verdict.input)), each.verdict.case


def _numbers_of_a_field(alike: Sequence[Failed]) -> list[str]:
    """Return the fields whose values the words of refusals quote at one place.

    The list is empty if one of the refusals quotes none.
    """
    rows = [_NUMBER.findall(each.verdict.detail) for each in alike]
    fields = [_integers(each.case) for each in alike]
    for place in range(min(map(len, rows))):
        numbers = [int(row[place]) for row in rows]
        named = [of.get(number, set()) for of, number in zip(fields, numbers, strict=True)]
        is_called_invalid = _SAYS_INVALID.search(alike[0].verdict.detail) is not None
        is_length = _SAYS_LENGTH.search(alike[0].verdict.detail) is not None
        is_varied = len(set(numbers)) > 1 and 0 not in numbers and not is_length
        says_so = is_called_invalid or is_varied
        if all(named) and says_so and any(number > 0 for number in numbers):
            return sorted(_fewest(named))
    return []


def _fewest(named: Sequence[set[str]]) -> set[str]:
    """Return few names that are in all of these sets together: names in the most sets first."""
    left, found = list(named), set[str]()
    while left:
        every = {name for names in left for name in names}
        best = max(sorted(every), key=lambda name: sum(name in names for names in left))
        found.add(best)
        left = [names for names in left if best not in names]
    return found


def _integers(case: Case) -> dict[int, set[str]]:
    """Return the integers in a message, with the names of the fields that hold each."""
    found: dict[int, set[str]] = defaultdict(set)
    if (reads := reads_of(case)) is not None:
        parts = [(reads.layout, reads.value)]
    elif (writes := writes_of(case)) is not None:
        parts = list(_read_again(writes))
    else:
        return found
    for layout, value in parts:
        for name, number in _integers_in(layout, value):
            found[number].add(name)
    return found


def _read_again(writes: Writes) -> Iterator[tuple[Layout, Any]]:
    """Yield each layout of what a case is to write, with its value."""
    reader = Reader(writes.options[0])
    try:
        for layout in writes.layouts:
            yield layout, reader.struct(layout)
    except DecodeError:
        return


def _integers_in(layout: Layout, value: Any) -> Iterator[tuple[str, int]]:
    """Yield the name and number of each integer in a struct."""
    for item in (*layout.fields, *layout.tagged):
        if isinstance(value, dict) and item.name in value:
            yield from _integers_of(item.type, value[item.name], item.name)


def _integers_of(type_: WireType, value: Any, name: str) -> Iterator[tuple[str, int]]:
    """Yield the name and number of each integer in a value."""
    if value is None:
        return
    if type_.kind == "array":
        for one in value:
            yield from _integers_of(type_.item, one, name)
    elif type_.kind == "struct":
        yield from _integers_in(type_.layout, value)
    elif type_.kind in _INTEGERS:
        yield name, int(value)


class _Lost:
    """The fields of one message that answers lack, and the cases that lack only those."""

    def __init__(self, failed: Sequence[Failed]) -> None:
        self.fields: dict[str, set[int]] = {}
        self._lacking: set[str] = set()
        for each in failed:
            self._take(each, _missing(each))
        for each in failed:
            self._take(each, self._not_written(each))
        written = {e.verdict.version for e in failed if self.explains(e) and _is_encoded(e)}
        for each in failed:  # any message lacks the field, so none is well-formed
            is_written = _is_encoded(each) and each.verdict.version in written
            if is_written and each.verdict.detail.startswith(_NOT_WELL_FORMED):
                self._lacking.add(each.verdict.case)

    def explains(self, each: Failed) -> bool:
        """True if a case is right except for lost fields."""
        return each.verdict.case in self._lacking

    def _not_written(self, each: Failed) -> list[str]:
        """Return the fields that the bytes of a case lack, if they are right otherwise."""
        version = each.verdict.version
        known = [name for name, versions in self.fields.items() if version in versions]
        writes = writes_of(each.case)
        return _not_written(writes, each.verdict.actual, known) if writes else []

    def _take(self, each: Failed, names: Sequence[str]) -> None:
        """Add the fields that a case lacks, and the case."""
        for name in names:
            self._lacking.add(each.verdict.case)
            self.fields.setdefault(name, set()).add(each.verdict.version)


def _forgotten_of(message: str, failed: Sequence[Failed]) -> dict[Sort, Observed]:
    """Return the fields of one message that values and bytes lack, by the sorts they explain.

    The values and bytes are right except for these fields.
    """
    lost = _Lost(failed)
    sorts = of_all(failed, lost.explains)
    if not sorts or not lost.fields:
        return {}
    every = [numbered(sorted(versions)) for versions in lost.fields.values()]
    if len(set(every)) == 1:
        said = f"loses {and_more(list(lost.fields))} of {message}, in {every[0]}"
    else:
        which = [f"{name} ({one})" for name, one in zip(lost.fields, every, strict=True)]
        said = f"loses {and_more(which)} of {message}"
    sides = {each.verdict.op.partition("-")[0] for each in failed if each.sort in sorts}
    side = next(iter(sides)) if len(sides) == 1 else ""
    harm, mapped, mended = _LOST_ON.get(side, _LOST_ON[""])
    by_hand = f"If the adapter maps the library's struct by hand, see that it {mapped}"
    shown = Observed(said, FIELDS_OF_VERSION, harm=harm, remedy=f"{by_hand}; else {mended}.")
    return dict.fromkeys(sorts, shown)


def _is_encoded(each: Failed) -> bool:
    """True if a case encodes."""
    return each.verdict.op.startswith("encode")


def _is_kept(each: Failed, is_read: Callable[[str, int], bool]) -> bool:
    """True if a value lacks a field at the top of a message that is read right in other cases."""
    at_top = any("." not in name for name in _missing(each))
    return at_top and is_read(each.verdict.message, each.verdict.version)


def _may_be_unread(each: Failed) -> bool:
    """True if a codec that does not know the fields which this answer lacks may give it as well."""
    if each.verdict.op == "roundtrip":
        return False  # the unread bytes would have been left over
    reads, names = reads_of(each.case), _missing(each)
    if reads is None or not names or reads.header_layout is not None:
        return reads is None or not names
    layout = reads.layout
    for name in names:
        layout = without(layout, name)
    try:
        value = Reader(each.case.request.bytes or b"").struct(layout)
    except DecodeError:
        return False
    return not any(differences(layout, value, each.verdict.actual, reads.keeps_tags))


def _missing(each: Failed) -> list[str]:
    """Return the fields that a value lacks if it is right except for them, else none."""
    found = differences_of(each)
    return unique(map(_name, found)) if all(one.kind == MISSING for one in found) else []


def _not_written(writes: Writes, actual: Any, known: Sequence[str]) -> list[str]:
    """Return the fields that bytes lack if they are right except for them, else none.

    Only all of the `known` fields together, or any one other field, are tried.
    """
    if not isinstance(actual, str):
        return []
    *before, layout = writes.layouts
    reader = Reader(writes.options[0])
    try:
        for header in before:
            reader.struct(header)
        begin = reader.offset
        value = reader.struct(layout)
    except DecodeError:
        return []
    expected, written = writes.options[0][begin:], bytes.fromhex(actual)[begin:]
    if len(written) >= len(expected):
        return []
    tried = [list(known)] if known else []
    if not (
        layout.flexible and written == expected[:-1]
    ):  # an empty tag section may be missing instead
        tried += [[name] for name in paths(layout) if name not in known]
    return next((names for names in tried if written_without(layout, value, names) == written), [])
