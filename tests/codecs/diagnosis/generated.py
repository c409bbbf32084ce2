"""Codecs with a generated defect each: one kind of fault, at a message and a field drawn by a seed.

They are written here again, and not made of the suspects: a codec reads and writes by a layout
that is edited in the version in hand.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.reference.codec import PlainCodec, Value
from conformance.schema.layout import Form, Layout, WireField, WireType, form
from conformance.schema.model import Message
from conformance.schema.releases import definitions, request_names
from conformance.schema.versions import Versions
from conformance.wire.errors import EncodeError
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer

BESIDE = ("HeartbeatRequest", "HeartbeatResponse", "ApiVersionsRequest", "SaslAuthenticateRequest")
"""Messages that every generated codec gets right, beside the one that it gets wrong."""
Path = tuple[str, ...]
_WIDER = {"int8": "int16", "int16": "int32", "int32": "int64", "int64": "int32"}


@dataclass(frozen=True)
class Generated:
    """A codec of one defect. `names` are what its finding has to say, each `one|or another`."""

    kind: str
    codec: type[Codec]
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind}-{self.codec.name}"

    def is_named(self, said: str) -> bool:
        """True if a text says all that it has to."""
        return all(any(one.lower() in said.lower() for one in n.split("|")) for n in self.names)


class _Forgiving(Writer):
    """Writes the fields of its layout, whatever else it is given; 0 for what it is not."""

    def struct(self, layout: Layout, value: Any, path: str = "") -> None:
        if isinstance(value, dict) and not layout.batch and layout.magic is None:
            known = {item.name for item in (*layout.fields, *layout.tagged)}
            given = {item.name: item.default for item in layout.fields}
            given |= {n: each for n, each in value.items() if n in known or n.startswith("_")}
            value = given
        super().struct(layout, value, path)


class Codec(PlainCodec):
    """The reference codec with a few messages and no defect."""

    messages: tuple[str, ...] = BESIDE
    Reads: type[Reader] = Reader
    Writes: type[Writer] = _Forgiving
    of: str = ""

    def hello(self) -> dict[str, Any]:
        said = super().hello()
        return {**said, "messages": {name: said["messages"][name] for name in self.messages}}

    def change(self, true: Form) -> Form:
        return true

    def form(self, message: str, version: int) -> Form:
        true = super().form(message, version)
        return self.change(true) if message == self.of else true

    def header_form(self, form: Form) -> Form:
        return super().header_form(PlainCodec.form(self, form.message, form.version))

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        reader = (self.Reads if form.type != "header" else Reader)(data, offset)
        return reader.struct(form.layout), reader.offset

    def write(self, form: Form, value: Value) -> bytes:
        writer = (self.Writes if form.type != "header" else Writer)()
        writer.struct(form.layout, value)
        return bytes(writer.out)


def codec_of(of: str, called: str, **body: Any) -> type[Codec]:
    """A codec with one message beside those that all have."""
    messages = tuple(sorted({*BESIDE, of})) if of else BESIDE
    return type("Generated", (Codec,), {"of": of, "messages": messages, "name": called, **body})


def _change(alter: Callable[[Layout], Layout], versions: Sequence[int]) -> Callable[..., Form]:
    def change(self: Codec, true: Form) -> Form:
        return replace(true, layout=alter(true.layout)) if true.version in versions else true

    return change


def edited(layout: Layout, path: Path, edit: Callable[[tuple[WireField, ...], int], Any]) -> Layout:
    """The layout with one of its plain fields edited, by its path, if it is there."""
    at = next((i for i, item in enumerate(layout.fields) if item.name == path[0]), None)
    if at is None:
        return layout
    if len(path) == 1:
        return replace(layout, fields=tuple(edit(layout.fields, at)))
    item = layout.fields[at]
    element = item.type.element or item.type
    assert element.struct is not None
    element = replace(element, struct=edited(element.struct, path[1:], edit))
    type_ = replace(item.type, element=element) if item.type.element else element
    return replace(
        layout, fields=(*layout.fields[:at], replace(item, type=type_), *layout.fields[at + 1 :])
    )


def plain_fields(layout: Layout, above: Path = ()) -> Iterator[tuple[Path, WireField]]:
    """Each plain field with its path, inner ones as well."""
    for item in layout.fields:
        yield (*above, item.name), item
        element = item.type.element or item.type
        if element.struct is not None:
            yield from plain_fields(element.struct, (*above, item.name))


class Draw:
    """A seeded drawing of messages, versions and fields."""

    def __init__(self, seed: int, kind: str = "") -> None:
        self._random = random.Random(f"{seed}{kind}")
        known, found = PlainCodec().hello()["messages"], definitions("4.4.0")
        self._messages = [
            each
            for name, each in ((name, found[name]) for name in found.names)
            if name in known
            and list(each.valid)
            and name not in BESIDE
            and each.type in ("request", "response")
            and not any(item.type.kind == "records" for item in each.fields)
        ]

    def one_of(self, many: Sequence[Any]) -> Any:
        return self._random.choice(many)

    def message(self, is_so: Callable[[Message], bool] = lambda _: True) -> Message:
        """A message that fulfils something."""
        found: Message = self.one_of([each for each in self._messages if is_so(each)])
        return found

    def field(
        self, is_so: Callable[[WireField], bool] = lambda _: True
    ) -> tuple[Message, int, Path]:
        """A message, a version of it, and the path of a plain field there."""
        while True:
            message = self.message()
            version = self.one_of(list(message.valid))
            paths = [p for p, f in plain_fields(form(message, version).layout) if is_so(f)]
            if paths:
                return message, version, self.one_of(paths)


def generated(seed: int) -> Iterator[Generated]:
    """One codec of each kind of defect."""
    for make in MAKERS:
        yield make(Draw(seed, make.__name__))


def _called(path: Path) -> str:
    return path[-1]


def dropped(draw: Draw) -> Generated:
    message, _, path = draw.field()
    change = _change(
        lambda layout: edited(layout, path, lambda fields, at: fields[:at] + fields[at + 1 :]),
        list(message.valid),
    )
    codec = codec_of(message.name, f"{message.name} lacks {'.'.join(path)}", change=change)
    return Generated("dropped", codec, (message.name, _called(path)))


def dropped_in_one(draw: Draw) -> Generated:
    while True:
        message, version, path = draw.field()
        if len(list(message.valid)) > 1:
            break
    change = _change(
        lambda layout: edited(layout, path, lambda fields, at: fields[:at] + fields[at + 1 :]),
        [version],
    )
    named = f"{message.name} {version} lacks {'.'.join(path)}"
    codec = codec_of(message.name, named, change=change)
    return Generated("dropped in one", codec, (message.name, _called(path), str(version)))


def added(draw: Draw) -> Generated:
    message, _, path = draw.field()
    kind = draw.one_of(["int8", "int16", "int32", "int64"])
    new = WireField("surplus", WireType(kind), 0)
    change = _change(
        lambda layout: edited(
            layout, path, lambda fields, at: (*fields[: at + 1], new, *fields[at + 1 :])
        ),
        list(message.valid),
    )
    named = f"{message.name} has {kind} after {'.'.join(path)}"

    class Reads(Reader):
        def struct(self, layout: Layout, path: str = "") -> dict[str, Any]:
            found = super().struct(layout, path)
            found.pop("surplus", None)
            return found

    codec = codec_of(message.name, named, change=change, Reads=Reads)
    return Generated("added", codec, (message.name, _called(path)))


def swapped(draw: Draw) -> Generated:
    def swap(fields: tuple[WireField, ...], at: int) -> Any:
        if at + 1 >= len(fields):
            return fields
        return (*fields[:at], fields[at + 1], fields[at], *fields[at + 2 :])

    while True:
        message, version, path = draw.field()
        layout = form(message, version).layout
        other = dict(plain_fields(edited(layout, path, swap)))
        both = [p for p in other if p[:-1] == path[:-1]]
        if edited(layout, path, swap) != layout:
            break
    which = f"{both[both.index(path) - 1][-1]}|{path[-1]}"
    change = _change(lambda layout: edited(layout, path, swap), list(message.valid))
    codec = codec_of(message.name, f"{message.name} swaps {'.'.join(path)}", change=change)
    return Generated("swapped", codec, (message.name, which))


def scrambled(draw: Draw) -> Generated:
    """All fields of one version the other way round, which is no one line of a definition."""
    while True:
        message = draw.message(lambda each: len(list(each.valid)) > 1)
        version = draw.one_of(list(message.valid))
        if len(form(message, version).layout.fields) > 2:
            break
    change = _change(lambda layout: replace(layout, fields=layout.fields[::-1]), [version])
    codec = codec_of(message.name, f"{message.name} {version} scrambled", change=change)
    return Generated("scrambled", codec, (message.name, str(version)))


def of_other_version(draw: Draw) -> Generated:
    while True:
        message = draw.message(lambda each: len(list(each.valid)) > 1)
        version = draw.one_of(list(message.valid))
        other = version + draw.one_of([-1, 1])
        if other in message.valid and form(message, other).layout != form(message, version).layout:
            break

    def change(self: Codec, true: Form) -> Form:
        if true.version != version:
            return true
        return replace(true, layout=form(message, other).layout)

    codec = codec_of(message.name, f"{message.name} {version} as {other}", change=change)
    return Generated("of other version", codec, (message.name, f" {version}"))


def wrongly_flexible(draw: Draw) -> Generated:
    message = draw.message(lambda each: bool(each.flexible) and each.flexible.low in each.valid)
    version = draw.one_of(list(message.valid))
    is_flexible = version in message.flexible
    taken = replace(message, flexible=Versions(version, version) if not is_flexible else _NEVER)

    def change(self: Codec, true: Form) -> Form:
        if true.version != version:
            return true
        return replace(true, layout=form(taken, version).layout)

    codec = codec_of(message.name, f"{message.name} {version} wrongly flexible", change=change)
    names = (message.name, "flexible", *([str(version)] if len(list(message.valid)) > 1 else []))
    return Generated("wrongly flexible", codec, names)


_NEVER = Versions(30000, 30000)


def of_other_width(draw: Draw) -> Generated:
    message, _, path = draw.field(lambda item: item.type.kind in _WIDER)

    def widened(fields: tuple[WireField, ...], at: int) -> Any:
        item = fields[at]
        if item.type.kind not in _WIDER:
            return fields
        type_ = replace(item.type, kind=_WIDER[item.type.kind])
        return (*fields[:at], replace(item, type=type_), *fields[at + 1 :])

    change = _change(lambda layout: edited(layout, path, widened), list(message.valid))
    codec = codec_of(message.name, f"{message.name} widens {'.'.join(path)}", change=change)
    return Generated("of other width", codec, (message.name, _called(path)))


def enumerated(draw: Draw) -> Generated:
    message, _, path = draw.field(
        lambda item: item.type.kind in ("int8", "int16") and item.name != "errorCode"
    )
    name = path[-1]

    class Reads(Reader):
        def fixed(self, kind: str, path: str) -> Any:
            found = super().fixed(kind, path)
            if path.rpartition(".")[2] == name and not 0 <= found <= 12:
                raise ValueError(f"{found} is not a valid {name.title()}")
            return found

    class Writes(_Forgiving):
        def fixed(self, kind: str, value: Any, path: str) -> None:
            if path.rpartition(".")[2] == name and isinstance(value, int) and not 0 <= value <= 12:
                raise EncodeError(f"{value} is not a valid {name.title()}", "")
            super().fixed(kind, value, path)

    named = f"{message.name} enumerates {'.'.join(path)}"
    codec = codec_of(message.name, named, Reads=Reads, Writes=Writes)
    return Generated("enumerated", codec, (name, "does not list"))


def surplus(draw: Draw) -> Generated:
    def absent(each: Message) -> list[tuple[int, WireField]]:
        return [
            (version, item)
            for version in each.valid
            for item in form(each, version).layout.absent
            if item.type.kind not in ("struct",)
        ]

    message = draw.message(lambda each: bool(absent(each)))
    _, item = draw.one_of(absent(message))

    def read(self: Codec, form_: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        found, end = PlainCodec.read(self, form_, data, offset)
        if form_.message == message.name and form_.type != "header":
            for each in form_.layout.absent:
                if each.name == item.name:
                    found[each.name] = [] if each.default is None else {"nothing": True}
        return found, end

    codec = codec_of(message.name, f"{message.name} gives {item.name}", read=read)
    return Generated("surplus", codec, ("gives fields", "not have", message.name, item.name))


def forgets(draw: Draw) -> Generated:
    message, _, path = draw.field()
    where = ".".join(path)

    def forget(value: Any, path: Path) -> None:
        for one in value if isinstance(value, list) else [value]:
            if len(path) == 1 and isinstance(one, dict):
                one.pop(path[0], None)
            elif isinstance(one, dict):
                forget(one.get(path[0]), path[1:])

    def read(self: Codec, form_: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        found, end = PlainCodec.read(self, form_, data, offset)
        if form_.message == message.name and form_.type != "header":
            forget(found, path)
        return found, end

    def write(self: Codec, form_: Form, value: Value) -> bytes:
        layout = form_.layout
        if form_.message == message.name and form_.type != "header":
            layout = edited(layout, path, lambda fields, at: fields[:at] + fields[at + 1 :])
        writer = _Forgiving()
        writer.struct(layout, value)
        return bytes(writer.out)

    named = f"{message.name} forgets {where}"
    codec = codec_of(message.name, named, read=read, write=write)
    return Generated("forgets", codec, (message.name, _called(path)))


def in_characters(draw: Draw) -> Generated:
    class Writes(_Forgiving):
        def sized(self, type_: WireType, value: Any, path: str) -> None:
            if type_.kind != "string" or value is None:
                super().sized(type_, value, path)
            else:
                self.length(type_, len(value))
                self.out += value.encode()

    message = draw.message()
    codec = codec_of(message.name, "counts characters", Writes=Writes)
    return Generated("in characters", codec, ("characters",))


def cut_to_characters(draw: Draw) -> Generated:
    class Writes(_Forgiving):
        def raw(self, kind: str, value: Any, path: str) -> bytes:
            raw = super().raw(kind, value, path)
            return raw[: len(value)] if kind == "string" else raw

    message = draw.message()
    codec = codec_of(message.name, "cuts to characters", Writes=Writes)
    return Generated("cut to characters", codec, ("characters",))


def of_other_api_key(draw: Draw) -> Generated:
    message = draw.message(lambda each: each.type == "request")
    others = [key for key in request_names() if key != message.api_key]
    key = draw.one_of(others)

    def encode_request(self: Codec, name: str, version: int, header: Value, value: Value) -> bytes:
        header = {**header, "requestApiKey": key} if name == message.name else header
        frame = PlainCodec.encode_request(self, name, version, header, value)
        return key.to_bytes(2, "big") + frame[2:] if name == message.name else frame

    codec = codec_of(message.name, f"{message.name} as {key}", encode_request=encode_request)
    return Generated("of other api key", codec, (message.name, f"api key {key}"))


def _of_varints(name: str, names: tuple[str, ...], **body: Any) -> Generated:
    codec = codec_of("Primitives", name, **body)
    return Generated("varints", codec, names)


def big_endian_varints(draw: Draw) -> Generated:
    class Reads(Reader):
        def groups(self, path: str, kind: str, most: int) -> int:
            value = 0
            for _ in range(most):
                byte = self.take(1, path)[0]
                value = value << 7 | byte & 0x7F
                if byte < 0x80:
                    break
            return value

    class Writes(_Forgiving):
        def zigzag(self, value: int, bits: int, path: str) -> None:
            number = ((value << 1) ^ (value >> bits - 1)) & (1 << bits) - 1
            out = [number & 0x7F]
            while number := number >> 7:
                out.append(number & 0x7F | 0x80)
            self.out += bytes(out[::-1])

    return _of_varints("big endian", ("VARINT", "first"), Reads=Reads, Writes=Writes)


def plain_varints(draw: Draw) -> Generated:
    class Reads(Reader):
        def unzigzag(self, raw: int, kind: str) -> int:
            bits = 32 if kind == "varint" else 64
            return raw - (1 << bits) if raw >> bits - 1 else raw

    class Writes(_Forgiving):
        def to_zigzag(self, value: int, bits: int) -> int:
            return value & (1 << bits) - 1

    return _of_varints("no zigzag", ("VARINT", "zig-zag"), Reads=Reads, Writes=Writes)


MAKERS: tuple[Callable[[Draw], Generated], ...] = (
    dropped,
    dropped_in_one,
    added,
    swapped,
    scrambled,
    of_other_version,
    wrongly_flexible,
    of_other_width,
    enumerated,
    surplus,
    forgets,
    in_characters,
    cut_to_characters,
    of_other_api_key,
    big_endian_varints,
    plain_varints,
)
