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

_CODES = {kind: text[1:] for kind, text in FORMATS.items()}
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
        length = self.length(type_, run)
        target = self.fresh("a" if type_.kind == "array" else "s")
        if not type_.nullable:
            with self.block(f"if {length} < 0:"):
                self.add("raise Bad")
            self.content(type_, length, target)
            return target
        with self.block(f"if {length} >= 0:"):
            self.content(type_, length, target)
        with self.block(f"elif {length} == -1:"):
            self.add(f"{target} = None")
        with self.block("else:"):
            self.add("raise Bad")
        return target

    def fixed(self, kind: str, run: _Run) -> str:
        name = self.fresh("f")
        run.names.append(name)
        run.codes += _CODES[kind]
        if kind == "uuid":
            return f"uuid_to_text({name})"
        if kind == "float64":
            return f"float_to_text({name})"
        return name

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

    def length(self, type_: WireType, run: _Run) -> str:
        """Emit code that reads a length; returns the name that holds it, -1 for null."""
        code = "B" if type_.compact else "h" if type_.kind == "string" else "i"
        name = self.run_integer(run, code)
        self.flush(run)
        if type_.compact:
            with self.block(f"if {name} > 127:"):
                self.add(f"{name}, p = uvarint_rest(b, p, {name})")
            self.add(f"{name} -= 1")
        return name

    def content(self, type_: WireType, length: str, target: str) -> None:
        if type_.kind == "array":
            self.array(type_.item, length, target)
            return
        end = self.fresh("e")
        self.add(f"{end} = p + {length}")
        raw = f"b[p:{end}]"
        decoded = f"{raw}.decode()" if type_.kind == "string" else f"bytes_to_text({raw})"
        self.add(f"{target} = {decoded}")
        self.add(f"p = {end}")

    def array(self, item: WireType, count: str, target: str) -> None:
        with self.block(f"if {count} * {max(item.least, 1)} > z - p:"):
            self.add("raise Short")
        if item.kind in _CODES and item.kind not in ("uuid", "float64"):
            self.add(f"{target} = list(unpack_from(f'>{{{count}}}{_CODES[item.kind]}', b, p))")
            self.add(f"p += {count} * {item.width}")
            return
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
    """Writes `encode`. The value is `v`; pieces go to the list `o` through its `w`."""

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
        pending: list[tuple[str, str]] = []
        for item in layout.fields:
            self.field(item.type, f"{value}[{item.name!r}]", pending)
        self.flush(pending)
        with self.block(f"if len({value}) != {len(layout.fields)}:"):
            if layout.flexible:
                self.add(f"{self.tags(layout)}({value}, w)")
            else:
                self.add("raise Bad")
        if layout.flexible:
            with self.block("else:"):
                self.add("w(ZERO)")

    def field(self, type_: WireType, value: str, pending: list[tuple[str, str]]) -> None:
        """Emit code that writes one value, or put it off into `pending`."""
        if type_.kind in _CODES:
            pending.append((_CODES[type_.kind], self.native(type_.kind, value)))
            return
        self.flush(pending)
        name = self.fresh("x")
        self.add(f"{name} = {value}")
        if not type_.nullable:
            self.present(type_, name)
            return
        with self.block(f"if {name} is None:"):
            self.add(f"w({_null(type_)})")
        with self.block("else:"):
            if type_.kind == "struct":
                self.add("w(PRESENT)")
            self.present(type_, name)

    def native(self, kind: str, value: str) -> str:
        """The expression that `pack` takes; emits code that keeps `true` and 1 apart."""
        if kind == "uuid":
            return f"text_to_uuid({value})"
        if kind == "float64":
            return f"text_to_float({value})"
        name = self.fresh("i")
        self.add(f"{name} = {value}")
        with self.block(f"if {name}.__class__ is not {'bool' if kind == 'bool' else 'int'}:"):
            self.add("raise Bad")
        return name

    def present(self, type_: WireType, name: str) -> None:
        if type_.kind == "struct":
            self.struct(type_.layout, name)
        elif type_.kind == "array":
            self.array(type_, name)
        elif type_.kind == "string":
            self.add(f"{name} = {name}.encode()")
            self.length(type_, name)
            self.add(f"w({name})")
        else:
            self.add(f"{name} = text_to_bytes({name})")
            self.length(type_, name)
            self.add(f"w({name})")

    def length(self, type_: WireType, name: str) -> None:
        count = self.fresh("n")
        self.add(f"{count} = len({name})")
        if not type_.compact:
            self.constants["P_h"] = "Struct('>h').pack"
            self.constants["P_i"] = "Struct('>i').pack"
            self.add(f"w({'P_h' if type_.kind == 'string' else 'P_i'}({count}))")
            return
        if type_.kind == "string":
            with self.block(f"if {count} > 32767:"):
                self.add("raise Bad")
        self.add(f"w(LENGTHS[{count}] if {count} < 127 else uvarint_bytes({count} + 1))")

    def array(self, type_: WireType, name: str) -> None:
        item = type_.item
        with self.block(f"if {name}.__class__ is not list:"):
            self.add("raise Bad")
        self.length(type_, name)
        code = _CODES.get(item.kind)
        if code and item.kind not in ("uuid", "float64"):
            classes = "BOOLS" if item.kind == "bool" else "INTS"
            with self.block(f"if not {classes}.issuperset(map(type, {name})):"):
                self.add("raise Bad")
            self.add(f"w(pack(f'>{{len({name})}}{code}', *{name}))")
            return
        element = self.fresh("y")
        with self.block(f"for {element} in {name}:"):
            if item.kind == "struct":
                self.struct(item.layout, element)
                return
            pending: list[tuple[str, str]] = []
            self.field(item, element, pending)
            self.flush(pending)

    def flush(self, pending: list[tuple[str, str]]) -> None:
        if pending:
            codes = "".join(code for code, _ in pending)
            pack = f"P_{codes.replace('?', 'o')}"
            self.constants[pack] = f"Struct('>{codes}').pack"
            self.add(f"w({pack}({', '.join(expression for _, expression in pending)}))")
            pending.clear()

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
            self.add(f"{self.value_function(item)}(x, q.append)")
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
            else:
                pending: list[tuple[str, str]] = []
                self.field(item.type, "x", pending)
                self.flush(pending)
            self.functions.append(f"def {name}(x, w):\n{self.text()}\n\n")
        return name


def _null(type_: WireType) -> str:
    if type_.kind == "struct":
        return "NULL_STRUCT"
    if type_.compact:
        return "ZERO"
    return "NULL_STRING" if type_.kind == "string" else "NULL_ARRAY"


def _size(codes: str) -> int:

    return calcsize(f">{codes}")
