"""A drawn value as a family of cases for one target, with the legal outcomes of each.

The same bytes go to every target. Names are those of the release that a target follows, and tags
that are newer than that release are unknown tags to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conformance.campaigns.generate import SLOTS, CaseSource, Drawn
from conformance.codecs.cases.case import (
    Case,
    Expectation,
    Family,
    Reads,
    Refuses,
    RefusesOrWrites,
    Writes,
)
from conformance.codecs.cases.from_bytes import (
    CUT_SHORT,
    READ,
    TAGS_READ,
    TRAILING,
    WRITTEN,
    expected_of,
)
from conformance.codecs.cases.known_definitions import codec_of, followed_release, unheld
from conformance.codecs.cases.values.nan import holds_nan
from conformance.codecs.cases.values.unknown_tags import has_unknown_tags, without_unknown_tags
from conformance.schema.layout import Form, Layout
from conformance.schema.releases import form_for
from conformance.testee_protocol import Hello, Op, Request

_DROPS = "declares that it drops unknown tags"


@dataclass(frozen=True, slots=True)
class _View:
    """A target's view of a source: its form of the message, and why operations are not asked."""

    form: Form
    header: Form | None
    own_names: bool
    undeclared: dict[Op, str]
    has_float: bool


class Families:
    """A maker of families for the target with this hello."""

    def __init__(self, hello: Hello, seed: int) -> None:
        self.hello = hello
        self._seed = seed
        self._release = followed_release(hello)
        self._codec = codec_of(hello)
        self._keeps = hello.unknown_tags == "kept"
        self._views: dict[str, _View | None] = {}

    def family(self, drawn: Drawn) -> Family | None:
        """Return a family; None if the target's release has another form of this version."""
        view = self._view(drawn.source)
        if view is None:
            return None
        cases = self._body(drawn, view) if drawn.header is None else self._frame(drawn, view)
        return Family(f"{self._seed}/{drawn.index * SLOTS}", tuple(cases))

    def _view(self, source: CaseSource) -> _View | None:
        if source.id not in self._views:
            self._views[source.id] = self._look_at(source)
        return self._views[source.id]

    def _look_at(self, source: CaseSource) -> _View | None:
        message, version = source.form.message, source.form.version
        form = form_for(self._release, message, version)
        if form is None or not set(form.releases) & set(source.form.releases):
            return None
        form = self._codec.form(message, version)
        header = self._codec.header_form(form) if source.header else None
        support = self.hello.messages.get(message)
        undeclared: dict[Op, str] = {
            op: f"does not declare {op} of this version"
            for op in _OPS
            if support is None or not support.covers(version, op)
        }
        all_known = not self.hello.unknown_fields
        own_names = all_known and self._release == source.form.releases[0]
        return _View(form, header, own_names, undeclared, _has_float(form.layout))

    def _body(self, drawn: Drawn, view: _View) -> list[Case]:
        form, data = view.form, drawn.data
        value = drawn.value if view.own_names else self._codec.read(form, data)[0]
        stripped, unknown = without_unknown_tags(value) if form.flexible else (value, False)
        without = self._codec.write(form, stripped) if unknown else None
        options = (data, without) if without and not self._keeps else (data,)
        layouts = (form.layout,)
        alike = value if view.has_float and holds_nan(form.layout, value) else None
        reads = Reads(value, form.layout, keeps_tags=self._keeps)
        writes = Writes(options, layouts, without)
        named = Writes(options, layouts, without, alike) if alike else writes
        missing = len(data) - drawn.cuts[0]
        spoilt, rule = expected_of(self._codec, (form,), drawn.broken, self._keeps)
        ask = _Asking(self._seed, drawn, view, unheld(self.hello, form.message, value))
        return [
            ask.case(0, "decode", reads, TAGS_READ if unknown else READ, 1, data),
            ask.case(1, "decode", _cut(missing), CUT_SHORT, 0, data[: drawn.cuts[0]]),
            ask.case(2, "encode", named, READ, None, value=value, drops=self._drops(unknown)),
            ask.case(3, "roundtrip", writes, WRITTEN, 4, data),
            ask.case(
                4, "roundtrip", RefusesOrWrites(_TRAILS, writes), TRAILING, None, data + b"\0"
            ),
            ask.case(5, "decode", spoilt, rule, int(isinstance(spoilt, Reads)), drawn.broken),
        ]

    def _frame(self, drawn: Drawn, view: _View) -> list[Case]:
        assert view.header is not None
        form, data = view.form, drawn.data
        value, header = drawn.value, drawn.header or {}
        if not view.own_names:
            header, at = self._codec.read(view.header, data)
            value, _ = self._codec.read(form, data, at)
        unknown = has_unknown_tags(value) or has_unknown_tags(header)
        reads = Reads(value, form.layout, header, view.header.layout, self._keeps)
        alike = view.has_float and holds_nan(form.layout, value)
        writes = Writes((data,), (view.header.layout, form.layout))
        given = {name: item for name, item in header.items() if not name.startswith("requestApi")}
        decode: Op = "decode-request" if form.type == "request" else "decode-response"
        encode: Op = "encode-request" if form.type == "request" else "encode-response"
        ask = _Asking(self._seed, drawn, view, unheld(self.hello, form.message, value))
        drops = "a NaN is given by its name" if alike else self._drops(unknown)
        cuts = [
            ask.case(slot, decode, _cut(len(data) - cut), CUT_SHORT, 0, data[:cut])
            for slot, cut in zip((1, 3, 4, 5), drawn.cuts, strict=True)
        ]
        return [
            ask.case(0, decode, reads, TAGS_READ if unknown else READ, 1, data),
            cuts[0],
            ask.case(2, encode, writes, READ, None, value=value, header=given, drops=drops),
            *cuts[1:],
        ]

    def _drops(self, unknown: bool) -> str:
        return "" if self._keeps or not unknown else _DROPS


_OPS: tuple[Op, ...] = (
    "decode",
    "encode",
    "roundtrip",
    "decode-request",
    "encode-request",
    "decode-response",
    "encode-response",
)
_TRAILS = "a byte follows the last field"


def _has_float(layout: Layout) -> bool:
    """True if a struct has a float at any depth, which might be NaN."""
    types = [item.type for item in (*layout.fields, *layout.tagged)]
    types = [each.element or each for each in types]
    return any(
        each.kind == "float64" or (each.struct is not None and _has_float(each.struct))
        for each in types
    )


def _cut(missing: int) -> Refuses:
    return Refuses(f"{missing} bytes are missing")


@dataclass(frozen=True, slots=True)
class _Asking:
    """A maker of the cases of one family."""

    seed: int
    drawn: Drawn
    view: _View
    unheld: str
    """Why the target can't hold the drawn value, "" if it can."""

    def case(
        self,
        slot: int,
        op: Op,
        expects: Expectation,
        rule: str,
        control_case: int | None,
        data: bytes = b"",
        value: Any = None,
        header: dict[str, Any] | None = None,
        drops: str = "",
    ) -> Case:
        form = self.view.form
        return Case(
            f"{self.seed}/{self.drawn.index * SLOTS + slot}",
            Request(
                op=op,
                message=form.message,
                version=form.version,
                bytes=data,
                value=value,
                header=header,
            ),
            expects,
            (rule,),
            () if control_case is None else (control_case,),
            self.view.undeclared.get(op) or self.unheld or drops,
        )
