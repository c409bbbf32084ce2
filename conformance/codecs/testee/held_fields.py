"""A check that a decoded value holds exactly the fields of its version.

A library may have one type for all versions of a message. If an adapter hands out all of its
fields, or leaves out fields that hold their defaults, its codec is accused of something that it did
not do. So each declared message is decoded in its lowest and in its highest version, where versions
differ most, from bytes in which fields hold their defaults.

An answer that differs in more than the fields it holds, or that left bytes unread, results from a
codec that reads other fields than the definition has: that is no mistake of the adapter. Nor is a
field that is missing whatever its value is: some libraries read it and have no place for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import msgspec

from conformance.codecs.cases.case import Case, Reads
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.codecs.judge.compare import surplus, value_difference
from conformance.codecs.testee.asking import Asking
from conformance.data import vector_messages
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.schema.layout import Layout, WireType
from conformance.targets.errors import shorten
from conformance.testee_protocol import Hello, Request, Target

_SHAPES = ("empty-nested", "defaults", "filled", "two")
"""The shapes of messages that are asked: fields at their defaults with elements, then filled."""
_INDEX = re.compile(r"\[\d+\]")
_NO_FIELDS = frozenset({"Primitives", "RecordBatch", "Records"})
"""Messages whose value is no struct of a definition."""
SURPLUS = (
    "leave out what the library's type has besides: a value holds the fields that its version has "
    "in the definition, and others at the definition's default alone"
)
LACKING = "put every field of the version into the value, those that hold their default too"


class Misheld(NamedTuple):
    """A field too many or too few: where, what to do, and whether the adapter must have done it."""

    what: str
    remedy: str
    certain: bool


def misheld(target: Target, asking: Asking) -> Iterator[Misheld]:
    """Yield for each message and version asked the first field that its value misholds."""
    for version in _versions(target.hello):
        plain, *others = version
        request = plain.request
        for each in (_answer(plain, asking) or ())[:1]:
            certain = not each.missing or _holds(each, others, asking)
            what = f"{request.message} v{request.version}: {each.path} {each.said}"
            yield Misheld(what, LACKING if each.missing else SURPLUS, certain)


class _Wrong(NamedTuple):
    path: str
    said: str
    missing: bool


def _versions(hello: Hello) -> Iterator[list[Case]]:
    """The decodes of each declared message in its lowest version, then in its highest.

    Of each the first has fields at their defaults, the others have them filled.
    """
    selected = Selection(rules=catalogue())
    for message in sorted((hello.messages.keys() & set(vector_messages())) - _NO_FIELDS):
        for vectors in _ends(message, hello):
            wanted = {f"{vector.id}/decode" for vector in vectors}
            made = families(vectors, hello, selected)
            cases = [case for family in made for case in family.cases]
            asked = [case for case in cases if case.id in wanted and case.is_asked]
            if asked:
                yield asked


def _ends(message: str, hello: Hello) -> Iterator[list[Vector]]:
    """The bodies of the lowest declared version and of the highest, by their shape."""
    found: dict[int, dict[str, Vector]] = {}
    for vector in read_vectors(message):
        request = Request(op="decode", message=message, version=vector.version)
        shape = vector.id.partition(f"-v{vector.version}-")[2]
        if shape in _SHAPES and hello.supports(request):
            found.setdefault(vector.version, {})[shape] = vector
    for version in sorted({min(found), max(found)}) if found else ():
        yield [found[version][shape] for shape in _SHAPES if shape in found[version]]


def _answer(case: Case, asking: Asking) -> list[_Wrong] | None:
    """Return the flaws in the fields of an answer; None if the answer has no value.

    Return None as well if the codec read other fields than the definition has.
    """
    expects = case.expects
    assert isinstance(expects, Reads)
    outcome = asking(case.request)
    if outcome.outcome != "value" or outcome.remaining:
        return None
    mended = deepcopy(outcome.value)
    wrong = list(_mend(expects.layout, expects.value, mended, ""))
    if value_difference(expects.layout, expects.value, mended, keeps_tags=False):
        return None
    return wrong


def _holds(lacking: _Wrong, others: Sequence[Case], asking: Asking) -> bool:
    """True if the field that is missing at its default is there in a message with it filled."""
    for case in others:
        answer = _answer(case, asking)
        if answer is not None and _plain(lacking) not in map(_plain, answer):
            return True
    return False


def _plain(wrong: _Wrong) -> str:
    return _INDEX.sub("", wrong.path)


def _mend(layout: Layout, expected: dict[str, Any], given: Any, path: str) -> Iterator[_Wrong]:
    """Give a struct exactly the fields of its version; yield those it lacked or had in addition."""
    if not isinstance(given, dict):
        return
    known = {item.name: item.type for item in (*layout.fields, *layout.tagged)}
    for name in surplus(layout, given):
        shown = msgspec.json.encode(given.pop(name)).decode()
        yield _Wrong(f"{path}{name}", f"is no field of this version, got {shorten(shown)}", False)
    for item in layout.fields:
        if item.name not in given:
            given[item.name] = deepcopy(expected[item.name])
            yield _Wrong(f"{path}{item.name}", "is missing", True)
    for name in known.keys() & given.keys() & expected.keys():
        yield from _mend_value(known[name], expected[name], given[name], f"{path}{name}")


def _mend_value(type_: WireType, expected: Any, given: Any, path: str) -> Iterator[_Wrong]:
    if type_.kind == "struct" and expected is not None:
        yield from _mend(type_.layout, expected, given, f"{path}.")
    elif type_.kind == "array" and isinstance(expected, list) and isinstance(given, list):
        for index, (one, other) in enumerate(zip(expected, given, strict=False)):
            yield from _mend_value(type_.item, one, other, f"{path}[{index}]")
