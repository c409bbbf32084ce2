"""From a form to the source of a module that reads and writes it: straight-line Python.

A reader that asks the definition at every byte spends its time asking. So each (message, version)
is compiled once: neighbouring fields of fixed width, and the length that follows them, become one
`struct` call; varints of one byte are read in line; nested structs become nested loops, not calls.

The generated code does not track where it is. It only makes sure that whatever is wrong raises
something, or leaves the offset beyond the end: then the plain reader (or writer) of the same layout
does the work again and says what and where. Slices beyond the end are short and lengths are
bounded, so a lying length costs nothing on the way there.

Nothing here runs the source; `conformance.reference` loads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from struct import calcsize

from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.wire.reader import FORMATS, MAX_TAG, UNKNOWN_TAGS
from conformance.wire.runtime import SHORT

FEW = 3
"""Arrays of rows with no more than this are read one by one: that is faster."""
_CODES = {kind: text[1:] for kind, text in FORMATS.items()}
FIXED_SIZES = {kind: calcsize(text) for kind, text in FORMATS.items()}
_PREAMBLE = '''\
"""Generated from the definition of {name} v{version} ({releases}). Not to be edited."""

from conformance.wire.runtime import *

'''


def compile_form(form: Form) -> str:
    """The source of a module with `decode(b, p) -> (value, p)` and `encode(v) -> bytes`."""
    name, releases = form.message, ", ".join(form.releases)
    parts = [_PREAMBLE.format(name=name, version=form.version, releases=releases)]
    reader, writer = _ReaderSource(), _WriterSource()
    decode = reader.function(form.layout)
    encode = writer.function(form.layout)
    constants = {**reader.constants, **writer.constants}
    parts += [f"{key} = {value}\n" for key, value in constants.items()]
    parts += ["\n\n", *reader.functions, decode, "\n\n", *writer.functions, encode]
    return "".join(parts)


class _Source:
    """Lines with indentation, names that are used once, and the constants they refer to."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.counter = 0
        self.constants: dict[str, str] = {}
        self.functions: list[str] = []

    def add(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.add(head)
        self.depth += 1
        yield
        self.depth -= 1

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Collect lines for a function of its own."""
        kept = self.lines, self.depth
        self.lines, self.depth = [], 1
        yield
        self.lines, self.depth = kept

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


class _Run:
    """Neighbouring values of fixed width, to be read by one `struct` call."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.codes = ""


class _ReaderSource(_Source):
    """Writes `decode`. The bytes are `b`, the offset is `p`, the length of `b` is `z`."""

    def function(self, layout: Layout) -> str:
        with self.apart():
            self.add("z = len(b)")
            value = self.struct(layout)
            with self.block("if p > z:"):
                self.add("raise Short")
            self.add(f"return {value}, p")
            return "def decode(b, p):\n" + self.text()

    def struct(self, layout: Layout) -> str:
        """Emit code that reads a struct; returns the expression of its value."""
        run = _Run()
        items = [(item.name, self.field(item.type, run)) for item in layout.fields]
        count = self.run_integer(run, "B") if layout.flexible else None
        self.flush(run)
        shown = "{" + ", ".join(f"{name!r}: {expression}" for name, expression in items) + "}"
        if count is None:
            return shown
        value = self.fresh("v")
        self.add(f"{value} = {shown}")
        with self.block(f"if {count}:"):
            self.add(f"p = {self.tags(layout)}(b, p, z, {count}, {value})")
        return value

    def field(self, type_: WireType, run: _Run) -> str:
        """Emit code that reads one value, or put it off into `run`; returns its expression."""
        if type_.kind in _CODES:
            return self.fixed(type_.kind, run)
        if type_.kind == "struct":
            return self.struct_field(type_, run)
        target = self.fresh("a" if type_.kind == "array" else "s")
        if type_.compact:
            self.compact(type_, run, target)
        else:
            self.classic(type_, run, target)
        return target

    def compact(self, type_: WireType, run: _Run, target: str) -> None:
        """A value behind an UNSIGNED_VARINT of N+1, which is one byte mostly."""
        length = self.run_integer(run, "B")
        self.flush(run)
        with self.block(f"if {length} > 127:"):
            self.add(f"{length}, p = uvarint_rest(b, p, {length})")
        with self.block(f"if {length}:"):
            self.content(type_, f"{length} - 1", target)
        self.null_or_bad(type_, "else:", target)

    def classic(self, type_: WireType, run: _Run, target: str) -> None:
        """A value behind an INT16 or INT32."""
        length = self.run_integer(run, "h" if type_.kind == "string" else "i")
        self.flush(run)
        with self.block(f"if {length} >= 0:"):
            self.content(type_, length, target)
        self.null_or_bad(type_, f"elif {length} == -1:", target)
        if type_.nullable:
            with self.block("else:"):
                self.add("raise Bad")

    def null_or_bad(self, type_: WireType, head: str, target: str) -> None:
        with self.block(head if type_.nullable else "else:"):
            self.add(f"{target} = None" if type_.nullable else "raise Bad")

    def fixed(self, kind: str, run: _Run) -> str:
        name = self.fresh("f")
        run.names.append(name)
        run.codes += _CODES[kind]
        return _native_read(kind, name)

    def struct_field(self, type_: WireType, run: _Run) -> str:
        if not type_.nullable:
            self.flush(run)
            return self.struct(type_.layout)
        marker = self.run_integer(run, "b")
        self.flush(run)
        target = self.fresh("o")
        with self.block(f"if {marker} == 1:"):
            self.add(f"{target} = {self.struct(type_.layout)}")
        with self.block(f"elif {marker} == -1:"):
            self.add(f"{target} = None")
        with self.block("else:"):
            self.add("raise Bad")
        return target

    def content(self, type_: WireType, length: str, target: str) -> None:
        if type_.kind == "array":
            count = self.fresh("c")
            self.add(f"{count} = {length}")
            self.array(type_.item, count, target)
            return
        end = self.fresh("e")
        self.add(f"{end} = p + {length}")
        raw = f"b[p:{end}]"
        encoded = raw if type_.kind == "string" else f"b2a_base64({raw}, newline=False)"
        decoded = f"{encoded}.decode()"
        self.add(f"{target} = {decoded}")
        self.add(f"p = {end}")

    def array(self, item: WireType, count: str, target: str) -> None:
        if not item.least:  # any other element that is missing raises when it is read
            with self.block(f"if {count} > z - p:"):
                self.add("raise Short")
        if item.kind in _CODES and item.kind not in ("uuid", "float64"):
            self.numbers(item.kind, count, target)
        elif codes := _fixed_struct(item):
            self.fixed_structs(item.layout, codes, count, target)
        else:
            self.elements(item, count, target)

    def numbers(self, kind: str, count: str, target: str) -> None:
        """An array of numbers: one call, prepared for the short ones."""
        code = _CODES[kind]
        table = f"UNPACK_{code.replace('?', 'o')}"
        self.constants[table] = f"unpackers('{code}')"
        self.add(
            f"{target} = list({table}[{count}](b, p) if {count} < {SHORT}"
            f" else unpack_from(f'>{{{count}}}{code}', b, p))"
        )
        self.add(f"p += {count} * {FIXED_SIZES[kind]}")

    def fixed_structs(self, layout: Layout, codes: str, count: str, target: str) -> None:
        """An array of structs of a fixed size: one pass, where there are more than a few."""
        names = [self.fresh("f") for _ in range(len(layout.fields) + layout.flexible)]
        unpack = f"I_{codes.replace('?', 'o')}"
        size = _size(codes)
        self.constants[unpack] = f"Struct('>{codes}').iter_unpack"
        pairs = zip(layout.fields, names, strict=False)
        shown = ", ".join(
            f"{item.name!r}: {_native_read(item.type.kind, name)}" for item, name in pairs
        )
        rows = f"{unpack}(b[p:p + {count} * {size}])"
        only = f" if not {names[-1]}" if layout.flexible else ""
        with self.block(f"if {count} > {FEW}:"):
            self.add(f"{target} = [{{{shown}}} for {', '.join(names)}, in {rows}{only}]")
            with self.block(f"if len({target}) != {count}:"):
                self.add("raise Bad  # tagged fields in rows are for the plain reader")
            self.add(f"p += {count} * {size}")
        with self.block("else:"):
            self.elements(WireType("struct", struct=layout), count, target)

    def elements(self, item: WireType, count: str, target: str) -> None:
        append = self.fresh("w")
        self.add(f"{target} = []")
        self.add(f"{append} = {target}.append")
        with self.block(f"for _ in range({count}):"):
            run = _Run()
            expression = self.field(item, run)
            self.flush(run)
            self.add(f"{append}({expression})")

    def run_integer(self, run: _Run, code: str) -> str:
        name = self.fresh("n")
        run.names.append(name)
        run.codes += code
        return name

    def flush(self, run: _Run) -> None:
        """Emit the one call that reads all that `run` has put off."""
        if not run.names:
            return
        if run.codes == "B":
            self.add(f"{run.names[0]} = b[p]")
            self.add("p += 1")
        else:
            unpack = f"U_{run.codes.replace('?', 'o')}"
            self.constants[unpack] = f"Struct('>{run.codes}').unpack_from"
            self.add(f"{', '.join(run.names)}, = {unpack}(b, p)")
            self.add(f"p += {_size(run.codes)}")
        run.names, run.codes = [], ""

    def tags(self, layout: Layout) -> str:
        """Emit the function that reads a tag section behind its first byte; returns its name."""
        name = self.fresh("read_tags")
        with self.apart():
            with self.block("if n > 127:"):
                self.add("n, p = uvarint_rest(b, p, n)")
            with self.block("if 2 * n > z - p:"):
                self.add("raise Short")
            self.add("previous = -1")
            with self.block("for _ in range(n):"):
                self.add("tag, p = uvarint(b, p)")
                self.add("size, p = uvarint(b, p)")
                with self.block(f"if not previous < tag <= {MAX_TAG} or size > z - p:"):
                    self.add("raise Bad")
                self.add("previous = tag")
                self.add("end = p + size")
                for index, item in enumerate(layout.tagged):
                    with self.block(f"{'elif' if index else 'if'} tag == {item.tag}:"):
                        self.tagged(item)
                if layout.tagged:
                    with self.block("else:"):
                        self.add("p = keep_tag(b, p, end, tag, v)")
                else:
                    self.add("p = keep_tag(b, p, end, tag, v)")
                with self.block("if p != end:"):
                    self.add("raise Bad")
            self.add("return p")
            self.functions.append(f"def {name}(b, p, z, n, v):\n{self.text()}\n\n")
        return name

    def tagged(self, item: WireField) -> None:
        if item.type.kind == "struct" and item.type.nullable:
            self.add("marker, p = uvarint(b, p)")
            with self.block("if marker == 1:"):
                self.add(f"v[{item.name!r}] = {self.struct(item.type.layout)}")
            with self.block("elif marker == 0:"):
                self.add(f"v[{item.name!r}] = None")
            with self.block("else:"):
                self.add("raise Bad")
            return
        run = _Run()
        expression = self.field(item.type, run)
        self.flush(run)
        self.add(f"v[{item.name!r}] = {expression}")


class _WriterSource(_Source):
    """Writes `encode`. The value is `v`; pieces go to the list `o`, or to its `w`.

    Pieces are gathered and handed over together: neighbouring numbers, and the length behind them,
    are one piece, made by one `struct` call.
    """

    def __init__(self) -> None:
        super().__init__()
        self.codes = ""
        self.numbers: list[str] = []
        self.pieces: list[str] = []

    def function(self, layout: Layout) -> str:
        with self.apart():
            self.add("o = []")
            self.add("w = o.append")
            self.struct(layout, "v")
            self.add("return b''.join(o)")
            return "def encode(v):\n" + self.text()

    def struct(self, layout: Layout, value: str) -> None:
        """Emit code that writes the struct held by the variable `value`."""
        if not layout.fields:
            with self.block(f"if {value}.__class__ is not dict:"):
                self.add("raise Bad")
        for item in layout.fields:
            self.field(item.type, f"{value}[{item.name!r}]")
        with self.block(f"if len({value}) != {len(layout.fields)}:"):
            if not layout.flexible:
                self.add("raise Bad")
            else:
                kept = self.codes, list(self.numbers), list(self.pieces)
                self.hand_over()
                self.add(f"{self.tags(layout)}({value}, w)")
                self.codes, self.numbers, self.pieces = kept
        if layout.flexible:
            with self.block("else:"):
                self.codes += "x"  # the empty tag section: `struct` writes a pad byte as 00
                self.hand_over()
        else:
            self.hand_over()

    def field(self, type_: WireType, value: str) -> None:
        """Emit code that makes pieces of one value."""
        if type_.kind in _CODES:
            self.codes += _CODES[type_.kind]
            self.numbers.append(self.native(type_.kind, value))
            return
        name = self.fresh("x")
        self.add(f"{name} = {value}")
        if type_.kind == "struct":
            self.struct_field(type_, name)
        elif type_.kind != "array":
            self.sized(type_, name)
        elif type_.item.kind in _CODES and type_.item.kind not in ("uuid", "float64"):
            self.number_array(type_, name)
        else:
            self.array(type_, name)

    def native(self, kind: str, value: str) -> str:
        """The expression that `pack` takes; emits code that keeps `true` and 1 apart."""
        if kind == "uuid":
            return f"text_to_uuid({value})"
        if kind == "float64":
            return f"text_to_float({value})"
        if kind != "bool":
            return value
        name = self.fresh("i")
        self.add(f"{name} = {value}")
        with self.block(f"if {name}.__class__ is not bool:"):
            self.add("raise Bad")
        return name

    def struct_field(self, type_: WireType, name: str) -> None:
        if not type_.nullable:
            self.struct(type_.layout, name)
            return
        self.hand_over()
        with self.block(f"if {name} is None:"):
            self.add("w(NULL_STRUCT)")
        with self.block("else:"):
            self.add("w(PRESENT)")
            self.struct(type_.layout, name)

    def sized(self, type_: WireType, name: str) -> None:
        """A string, bytes or records; null is no bytes behind the length of null."""
        count = self.fresh("n")
        raw = f"{name}.encode()" if type_.kind == "string" else f"text_to_bytes({name})"
        plus = " + 1" if type_.compact else ""
        if type_.nullable:
            with self.block(f"if {name} is None:"):
                self.add(f"{name} = b''")
                self.add(f"{count} = {_null_length(type_)}")
            with self.block("else:"):
                self.add(f"{name} = {raw}")
                self.add(f"{count} = len({name}){plus}")
        else:
            self.add(f"{name} = {raw}")
            self.add(f"{count} = len({name}){plus}")
        self.length(type_, count)
        self.pieces.append(name)

    def array(self, type_: WireType, name: str) -> None:
        """An array of anything but numbers: a length, then a loop."""
        count = self.fresh("n")
        plus = " + 1" if type_.compact else ""
        with self.block(f"if {name}.__class__ is list:"):
            self.add(f"{count} = len({name}){plus}")
        if type_.nullable:
            with self.block(f"elif {name} is None:"):
                self.add(f"{name} = ()")
                self.add(f"{count} = {_null_length(type_)}")
        with self.block("else:"):
            self.add("raise Bad")
        self.length(type_, count)
        self.hand_over()
        element, item = self.fresh("y"), type_.item
        codes = _fixed_struct(item)
        if not codes or "?" in codes:
            self.loop(item, name, element)
            return
        rows = self.fresh("r")
        self.add(f"{rows} = [{self.row(item.layout, codes, element)}")
        self.lines[-1] += (
            f" for {element} in {name} if len({element}) == {len(item.layout.fields)}]"
        )
        with self.block(f"if len({rows}) == len({name}):"):
            self.add(f"o += {rows}")
        with self.block("else:"):
            self.loop(item, name, element)

    def row(self, layout: Layout, codes: str, element: str) -> str:
        """The expression of a struct of a fixed size without tagged fields."""
        if layout.flexible:
            codes = f"{codes[:-1]}x"
        fields = ((item.type.kind, f"{element}[{item.name!r}]") for item in layout.fields)
        return f"{self.packer(codes)}({', '.join(self.native(*field) for field in fields)})"

    def loop(self, item: WireType, name: str, element: str) -> None:
        with self.block(f"for {element} in {name}:"):
            if item.kind == "struct":
                self.struct(item.layout, element)
            else:
                self.field(item, element)
                self.hand_over()

    def number_array(self, type_: WireType, name: str) -> None:
        """An array of numbers with its count: one call, prepared for the short ones."""
        code = _CODES[type_.item.kind]
        count = "B" if type_.compact else "i"
        table = f"PACK_{count}_{code.replace('?', 'o')}"
        self.constants[table] = f"packers('{count}', '{code}')"
        length, plus = self.fresh("n"), " + 1" if type_.compact else ""
        long = "uvarint_bytes({0} + 1)" if type_.compact else "pack('>i', {0})"
        with self.block(f"if {name}.__class__ is list:"):
            if type_.item.kind == "bool":
                with self.block(f"if not BOOLS.issuperset(map(type, {name})):"):
                    self.add("raise Bad")
            self.add(f"{length} = len({name})")
            self.add(
                f"{name} = {table}[{length}]({length}{plus}, *{name}) if {length} < {SHORT} else"
            )
            self.lines[-1] += f" {long.format(length)} + pack(f'>{{{length}}}{code}', *{name})"
        if type_.nullable:
            with self.block(f"elif {name} is None:"):
                self.add(f"{name} = {'ZERO' if type_.compact else 'NULL_ARRAY'}")
        with self.block("else:"):
            self.add("raise Bad")
        self.close_run()
        self.pieces.append(name)

    def length(self, type_: WireType, count: str) -> None:
        """The length `count`, as it is written, behind the numbers gathered so far."""
        if not type_.compact:
            self.codes += "h" if type_.kind == "string" else "i"
            self.numbers.append(count)
            self.close_run()
            return
        codes, numbers = self.codes, list(self.numbers)
        self.codes += "B"
        self.numbers.append(count)
        self.close_run()
        long = f"{'long_string' if type_.kind == 'string' else 'uvarint_bytes'}({count})"
        if codes:
            long = f"{self.packer(codes)}({', '.join(numbers)}) + {long}"
        self.pieces[-1] += f" if {count} < 128 else {long}"

    def packer(self, codes: str) -> str:
        name = f"P_{codes.replace('?', 'o')}"
        self.constants[name] = f"Struct('>{codes}').pack"
        return name

    def close_run(self) -> None:
        """Make a piece of the numbers gathered so far."""
        if self.codes == "x":
            self.pieces.append("ZERO")
        elif self.codes == "B":
            self.pieces.append(f"BYTES[{self.numbers[0]}]")
        elif self.codes:
            self.pieces.append(f"{self.packer(self.codes)}({', '.join(self.numbers)})")
        self.codes, self.numbers = "", []

    def hand_over(self) -> None:
        """Emit the one statement that adds all pieces gathered so far."""
        self.close_run()
        if len(self.pieces) == 1:
            self.add(f"w({self.pieces[0]})")
        elif self.pieces:
            self.add(f"o += ({', '.join(self.pieces)})")
        self.pieces = []

    def tags(self, layout: Layout) -> str:
        """Emit the function that writes a section with entries; returns its name."""
        name = self.fresh("write_tags")
        with self.apart():
            self.add("entries = []")
            self.add(f"seen = {len(layout.fields)}")
            for item in layout.tagged:
                self.tagged(item)
            with self.block(f"if {UNKNOWN_TAGS!r} in v:"):
                self.add("seen += 1")
                known = tuple(layout.by_tag)
                self.add(f"other_tags(v[{UNKNOWN_TAGS!r}], {known!r}, entries)")
            with self.block("if len(v) != seen:"):
                self.add("raise Bad")
            self.add("write_tags(entries, w)")
            self.functions.append(f"def {name}(v, w):\n{self.text()}\n\n")
        return name

    def tagged(self, item: WireField) -> None:
        with self.block(f"if {item.name!r} in v:"):
            self.add("seen += 1")
            self.add(f"x = v[{item.name!r}]")
            if item.type.kind == "struct" and item.default:
                plain = len(item.type.layout.fields)
                unusual = f"len(x) != {plain} and not x.get({UNKNOWN_TAGS!r})"
                with self.block(f"if x is not None and {unusual}:"):
                    self.add("raise Bad  # its own tags may be given, and at their defaults")
            self.add("q = []")
            self.add(f"{self.value_function(item)}(x, q)")
            with self.block(f"if {self.written(item)}:"):
                self.add(f"entries.append(({item.tag}, b''.join(q)))")

    def written(self, item: WireField) -> str:
        if item.type.kind == "struct" and item.default:
            constant = self.fresh("DEFAULT_")
            self.constants[constant] = repr(item.default)
            return f"x != {constant}"
        return f"x != {item.default!r}"

    def value_function(self, item: WireField) -> str:
        """Emit the function that writes a value inside of a tag; returns its name."""
        name = self.fresh("write_tagged")
        with self.apart():
            if item.type.kind == "struct" and item.type.nullable:
                with self.block("if x is None:"):
                    self.add("w(ZERO)")
                with self.block("else:"):
                    self.add("w(PRESENT)")
                    self.struct(item.type.layout, "x")
            elif item.type.kind == "struct":
                self.struct(item.type.layout, "x")
            else:
                self.field(item.type, "x")
                self.hand_over()
            self.functions.append(f"def {name}(x, o):\n    w = o.append\n{self.text()}\n\n")
        return name


def _null_length(type_: WireType) -> int:
    return 0 if type_.compact else -1


def _native_read(kind: str, name: str) -> str:
    if kind == "uuid":
        return f"b2a_base64({name})[:22].translate(URL_SAFE).decode()"
    return f"float_to_text({name})" if kind == "float64" else name


def _fixed_struct(item: WireType) -> str:
    """The codes of a struct all of whose fields have a fixed width, with its tag count; else ""."""
    if item.struct is None or item.nullable or not item.struct.fields:
        return ""
    kinds = [field.type.kind for field in item.struct.fields]
    if any(kind not in _CODES for kind in kinds):
        return ""
    return "".join(_CODES[kind] for kind in kinds) + "B" * item.struct.flexible


def _size(codes: str) -> int:
    return calcsize(f">{codes}")
