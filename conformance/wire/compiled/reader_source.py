"""The compiler's reading half: the source of `decode`.

Tables hold a prepared call, or loop, for every short length, and refuse null by having none for it.
Rows of a fixed size are read all at once; one by one only where a row has tagged fields. Tagged
fields are read in functions of their own, since they are rare.
"""

from __future__ import annotations

from contextlib import nullcontext

from conformance.schema.layout import Layout, WireField, WireType
from conformance.wire.compiled.cursor import Cursor, FixedRun
from conformance.wire.compiled.runtime import SHORT
from conformance.wire.compiled.source import CODES, fixed_struct, size_of

FEW = 3
"""Rows of a fixed size up to this many (as there are replicas, mostly) are read without a loop."""


class ReaderSource(Cursor):
    """Writes `decode`. The bytes are `b`; what is read next is at `p` plus the lag."""

    def function(self, layout: Layout) -> str:
        with self.own_function():
            value = self.struct(layout)
            self.settle()
            if not layout.flexible:  # slices beyond the end are short, all other reads raise there
                with self.block("if p > len(b):"):
                    self.add("raise Short")
            self.add(f"return {value}, p")
            return "def decode(b, p):\n" + self.text()

    def struct(self, layout: Layout) -> str:
        """Emit code that reads a struct; returns the expression of its value."""
        run = FixedRun()
        items = [(item.name, self.field(item.type, run)) for item in layout.fields]
        count = run.integer(self.fresh("n"), "B") if layout.flexible else None
        self.flush(run)
        shown = "{" + ", ".join(f"{name!r}: {expression}" for name, expression in items) + "}"
        if count is None:
            return shown
        value = self.fresh("v")
        self.add(f"{value} = {shown}")
        self.settle()
        with self.block(f"if {count}:"):
            self.add(f"p = {self.tags(layout)}(b, p, {count}, {value})")
        return value

    def field(self, type_: WireType, run: FixedRun) -> str:
        """Emit code that reads one value, or put it off into `run`; returns its expression."""
        if type_.kind in CODES:
            return _native_read(type_.kind, run.integer(self.fresh("f"), CODES[type_.kind]))
        if type_.kind == "struct":
            return self.struct_field(type_, run)
        if type_.kind == "array":
            return self.array(type_, run)
        return self.sized(type_, run)

    def struct_field(self, type_: WireType, run: FixedRun) -> str:
        if not type_.nullable:
            self.flush(run)
            return self.struct(type_.layout)
        target, marker = self.fresh("o"), run.integer(self.fresh("n"), "b")
        self.flush(run)
        lag = self.lag
        with self.branch(f"if {marker} == 1:", lag):
            self.add(f"{target} = {self.struct(type_.layout)}")
        with self.branch(f"elif {marker} == -1:", lag):
            self.add(f"{target} = None")
        with self.block("else:"):
            self.add("raise Bad")
        return target

    def sized(self, type_: WireType, run: FixedRun) -> str:
        """A string, bytes or records: a length, then the bytes."""
        target, length = self.fresh("s"), self.length(type_, run)
        if type_.kind == "string" and type_.compact and not type_.nullable:
            run.string, run.length = target, length
            return f"{target}.decode()"
        with self.unless_null(type_, length, target):
            if type_.compact:
                self.rest_of_varint(length)
            raw = self.slice(length, type_.compact)
            encoded = raw if type_.kind == "string" else f"b2a_base64({raw}, newline=False)"
            self.add(f"{target} = {encoded}.decode()")
        return target

    def array(self, type_: WireType, run: FixedRun) -> str:
        """An array: a count, then the elements."""
        target, count, item = self.fresh("a"), self.length(type_, run), type_.item
        if fixed_struct(item):
            read = self.rows
        elif item.kind in CODES and item.kind not in ("uuid", "float64"):
            read = self.numbers
        else:
            read = self.elements
        if type_.compact and not type_.nullable and read != self.rows:
            read(item, count, target, True)
        else:
            with self.unless_null(type_, count, target):
                read(item, count, target, type_.compact)
        return target

    def numbers(self, item: WireType, count: str, target: str, compact: bool) -> None:
        """Emit code that reads an array of numbers in one call; short ones have theirs prepared."""
        code, size = CODES[item.kind], size_of(CODES[item.kind])
        table = f"NUMBERS_{code.replace('?', 'o')}_{'N1' if compact else 'N'}"
        self.constants[table] = f"unpackers('{code}', {int(compact)})"
        exact = f"{count} - 1" if compact else count
        with self.block(f"if {count} < {SHORT}:"):
            self.add(f"{target} = [*{table}[{count}](b, {self.place()})]")
        with self.block("else:"):
            if compact:
                self.rest_of_varint(count)
            self.add(f"{target} = [*unpack_from(f'>{{{exact}}}{code}', b, {self.place()})]")
        self.add(f"p += {count} * {size}" if size > 1 else f"p += {count}")
        self.lag -= size * compact

    def rows(self, item: WireType, count: str, target: str, compact: bool) -> None:
        """An array of structs of a fixed size: one call for a few, one pass for more."""
        layout, codes, lag = item.layout, fixed_struct(item), self.lag
        slow = self.one_by_one(item) if layout.flexible else ""
        for few in range(FEW + 1):
            with self.branch(f"{'elif' if few else 'if'} {count} == {few + compact}:", lag):
                self.few_rows(layout, codes, few, target, slow)
        with self.branch("else:", lag):
            if compact:
                self.rest_of_varint(count)
            self.many_rows(layout, codes, f"({count} - 1)" if compact else count, target, slow)

    def few_rows(self, layout: Layout, codes: str, few: int, target: str, slow: str) -> None:
        """So many rows and no more, as one run."""
        run, rows = FixedRun(), [self.row(layout) for _ in range(few)]
        run.names, run.codes = [name for names, _ in rows for name in names], codes * few
        place = self.place()
        self.flush(run)
        self.add(f"{target} = [{', '.join(shown for _, shown in rows)}]")
        if slow and few:
            with self.block(f"if {' or '.join(names[-1] for names, _ in rows)}:"):
                self.add(f"{target}, p = {slow}(b, {place}, {few})")
                self.add(f"p -= {self.lag}  # added below, whatever the rows were")

    def many_rows(self, layout: Layout, codes: str, count: str, target: str, slow: str) -> None:
        """Read any number of rows; the next read checks that the bytes suffice."""
        names, shown = self.row(layout)
        size, begin = size_of(codes), self.place()
        rows, end, self.lag = self.fresh("r"), self.fresh("e"), 0
        self.add(f"{end} = {begin} + {count} * {size}")
        self.add(f"{rows} = b[{begin}:{end}]")
        if slow:  # the counts of tagged fields, all of which are 0 but for few
            names, codes = names[:-1], f"{codes[:-1]}x"
            with self.block(f"if {rows}[{size - 1}::{size}].strip(ZERO):"):
                self.add(f"{target}, p = {slow}(b, {begin}, {count})")
        unpack = f"I_{codes.replace('?', 'o')}"
        self.constants[unpack] = f"Struct('>{codes}').iter_unpack"
        with self.block("else:") if slow else nullcontext():
            self.add(f"{target} = [{shown} for {', '.join(names)}, in {unpack}({rows})]")
            self.add(f"p = {end}  # beyond the end if rows are missing")

    def row(self, layout: Layout) -> tuple[list[str], str]:
        """Variables for the numbers of a struct of a fixed size, and the struct made of them."""
        names = [self.fresh("f") for _ in layout.fields]
        pairs = zip(layout.fields, names, strict=True)
        shown = ", ".join(
            f"{item.name!r}: {_native_read(item.type.kind, name)}" for item, name in pairs
        )
        return names + [self.fresh("n")] * layout.flexible, f"{{{shown}}}"

    def one_by_one(self, item: WireType) -> str:
        """Emit the function that reads rows with tagged fields; returns its name."""
        name = self.fresh("read_rows")
        with self.own_function():
            self.elements(item, "n", "a", False)
            self.add("return a, p")
            self.functions.append(f"def {name}(b, p, n):\n{self.text()}\n\n")
        return name

    def elements(self, item: WireType, count: str, target: str, compact: bool) -> None:
        """An array of anything: a loop."""
        times, exact = f"range({count})", count
        if compact:
            times, exact = self.fresh("t"), f"{count} - 1"
            with self.block(f"if {count} < 128:"):
                self.add(f"{times} = TIMES[{count}]")
            with self.block("else:"):
                self.add(self.rest(count))
                self.add(f"{times} = range({exact})")
        self.settle()
        if not item.least:  # any other element that is missing raises when it is read
            with self.block(f"if {exact} > len(b) - p:"):
                self.add("raise Short")
        self.add(f"{target} = []")
        with self.block(f"for _ in {times}:"):
            run = FixedRun()
            expression = self.field(item, run)
            self.flush(run)
            self.settle()
            self.add(f"{target}.append({expression})")

    def tags(self, layout: Layout) -> str:
        """The function that reads a tag section behind its first byte; emits it if need be."""
        if not layout.tagged and not layout.other_tags:
            return "read_unknown_tags"
        name = self.fresh("read_tags")
        with self.own_function():
            with self.block("for tag, p, end in tag_entries(b, p, n):"):
                with self.block(f"if tag in {tuple(sorted(layout.other_tags))}:"):
                    self.add("raise Bad")
                for item in layout.tagged:
                    with self.block(f"elif tag == {item.tag}:"):
                        self.tagged(item)
                with self.block("else:"):
                    self.add("p = keep_tag(b, p, end, tag, v)")
                with self.block("if p != end:"):
                    self.add("raise Bad")
            self.add("return p")
            self.functions.append(f"def {name}(b, p, n, v):\n{self.text()}\n\n")
        return name

    def tagged(self, item: WireField) -> None:
        name = f"v[{item.name!r}]"
        if item.type.kind != "struct" or not item.type.nullable:
            run = FixedRun()
            expression = self.field(item.type, run)
            self.flush(run)
            self.add(f"{name} = {expression}")
            self.settle()
            return
        self.add("marker, p = uvarint(b, p)")
        with self.branch("if marker == 1:", 0):
            self.add(f"{name} = {self.struct(item.type.layout)}")
        with self.block("elif marker == 0:"):
            self.add(f"{name} = None")
        with self.block("else:"):
            self.add("raise Bad")


def _native_read(kind: str, name: str) -> str:
    if kind == "uuid":
        return f"b2a_base64({name})[:22].translate(URL_SAFE).decode()"
    return f"float_to_text({name})" if kind == "float64" else name
