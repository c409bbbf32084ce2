"""The compiler's reading half: the source of `decode`.

The bytes are `b`, the offset is `p`, the length of `b` is `z`.
"""

from __future__ import annotations

from struct import calcsize

from conformance.schema.layout import Layout, WireField, WireType
from conformance.wire.reader import FORMATS, MAX_TAG
from conformance.wire.runtime import SHORT
from conformance.wire.source import CODES, Source, fixed_struct, size_of

FEW = 3
"""Arrays of rows with no more than this are read one by one: that is faster."""
FIXED_SIZES = {kind: calcsize(text) for kind, text in FORMATS.items()}


class _Run:
    """Neighbouring values of fixed width, to be read by one `struct` call."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.codes = ""


class ReaderSource(Source):
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
        if type_.kind in CODES:
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
        run.codes += CODES[kind]
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
        if item.kind in CODES and item.kind not in ("uuid", "float64"):
            self.numbers(item.kind, count, target)
        elif codes := fixed_struct(item):
            self.fixed_structs(item.layout, codes, count, target)
        else:
            self.elements(item, count, target)

    def numbers(self, kind: str, count: str, target: str) -> None:
        """An array of numbers: one call, prepared for the short ones."""
        code = CODES[kind]
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
        size = size_of(codes)
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
            self.add(f"p += {size_of(run.codes)}")
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


def _native_read(kind: str, name: str) -> str:
    if kind == "uuid":
        return f"b2a_base64({name})[:22].translate(URL_SAFE).decode()"
    return f"float_to_text({name})" if kind == "float64" else name
