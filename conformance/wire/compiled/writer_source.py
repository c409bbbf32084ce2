"""The compiler's writing half: the source of `encode`."""

from __future__ import annotations

from conformance.schema.layout import Layout, WireField, WireType
from conformance.wire.compiled.runtime import SHORT
from conformance.wire.compiled.source import CODES, SourceText
from conformance.wire.reader import UNKNOWN_TAGS


class WriterSource(SourceText):
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
        with self.own_function():
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
        if type_.kind in CODES:
            self.codes += CODES[type_.kind]
            self.numbers.append(self.native(type_.kind, value))
            return
        name = self.fresh("x")
        self.add(f"{name} = {value}")
        if type_.kind == "struct":
            self.struct_field(type_, name)
        elif type_.kind != "array":
            self.sized(type_, name)
        elif type_.item.kind in CODES and type_.item.kind not in ("uuid", "float64"):
            self.number_array(type_, name)
        else:
            self.array(type_, name)

    def native(self, kind: str, value: str) -> str:
        """Return the expression for `pack`; for a bool, emit code that raises Bad for others."""
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
        with self.block(f"for {element} in {name}:"):
            if item.kind == "struct":
                self.struct(item.layout, element)
            else:
                self.field(item, element)
                self.hand_over()

    def number_array(self, type_: WireType, name: str) -> None:
        """An array of numbers: a length, then one call, prepared for the short ones."""
        code, count = CODES[type_.item.kind], self.fresh("n")
        table = f"PACK_{code.replace('?', 'o')}{'_N1' * type_.compact}"
        self.constants[table] = f"packers('{code}', {int(type_.compact)})"
        plus, exact = (" + 1", f"{count} - 1") if type_.compact else ("", count)
        with self.block(f"if {name}.__class__ is list:"):
            if type_.item.kind == "bool":
                with self.block(f"if not BOOLS.issuperset(map(type, {name})):"):
                    self.add("raise Bad")
            self.add(f"{count} = len({name}){plus}")
            long = f"pack(f'>{{{exact}}}{code}', *{name})"
            self.add(f"{name} = {table}[{count}](*{name}) if {count} < {SHORT} else {long}")
        if type_.nullable:
            with self.block(f"elif {name} is None:"):
                self.add(f"{name} = b''")
                self.add(f"{count} = {_null_length(type_)}")
        with self.block("else:"):
            self.add("raise Bad")
        self.length(type_, count)
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
        """Emit one statement that writes all pieces gathered so far."""
        self.close_run()
        if len(self.pieces) == 1:
            self.add(f"w({self.pieces[0]})")
        elif self.pieces:
            self.add(f"o += ({', '.join(self.pieces)})")
        self.pieces = []

    def tags(self, layout: Layout) -> str:
        """Emit a function that writes a tag section that is not empty; return its name."""
        name = self.fresh("write_tags")
        with self.own_function():
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
        with self.own_function():
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
