"""The position at which generated code reads next, and the reads that it has postponed.

The next read is at `p` plus the lag: steps whose size is known when the source is made are added up
here, and `p` moves only by sizes that are read from the bytes.

A call costs more than the read itself, so reads are postponed and joined. Values of a fixed width
wait for the length that follows them; a compact string waits for the value after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from conformance.schema.layout import WireType
from conformance.wire.compiled.source import SourceText, size_of


class FixedRun:
    """Neighbours to be read by one `struct` call: a compact string or none, then fixed widths."""

    def __init__(self) -> None:
        self.string = ""
        self.length = ""
        self.names: list[str] = []
        self.codes = ""

    def integer(self, name: str, code: str) -> str:
        """Put off a number; returns the variable that will hold it."""
        self.names.append(name)
        self.codes += code
        return name


class Cursor(SourceText):
    """Source that reads `b`, of which all in front of `p` plus the lag is read."""

    def __init__(self) -> None:
        super().__init__()
        self.lag = 0

    @contextmanager
    def own_function(self) -> Iterator[None]:
        """Collect lines for a separate function, which begins to read at its argument `p`."""
        kept, self.lag = self.lag, 0
        with super().own_function():
            yield
        self.lag = kept

    def place(self) -> str:
        """The expression of where to read next."""
        return f"p {'+' if self.lag > 0 else '-'} {abs(self.lag)}" if self.lag else "p"

    def settle(self) -> None:
        """Move `p` to where to read next, as it must be where ways meet and in loops."""
        if self.lag:
            self.add(f"p {'+' if self.lag > 0 else '-'}= {abs(self.lag)}")
        self.lag = 0

    @contextmanager
    def branch(self, head: str, lag: int) -> Iterator[None]:
        """One of several ways on from the same place, the lag there being `lag`."""
        with self.block(head):
            self.lag = lag
            yield
            self.settle()

    @contextmanager
    def unless_null(self, type_: WireType, length: str, target: str) -> Iterator[None]:
        """Add the lines of the `with` block as code that runs unless the length means null."""
        lag = self.lag
        with self.branch(f"if {length}:" if type_.compact else f"if {length} >= 0:", lag):
            yield
        if type_.nullable:
            with self.branch("else:" if type_.compact else f"elif {length} == -1:", lag):
                self.add(f"{target} = None")
        if not (type_.nullable and type_.compact):
            with self.block("else:"):
                self.add("raise Bad")

    def length(self, type_: WireType, run: FixedRun) -> str:
        """Emit code that reads a length or count: N+1 where it is compact, its first byte only."""
        code = "B" if type_.compact else "h" if type_.kind == "string" else "i"
        name = run.integer(self.fresh("n"), code)
        self.flush(run)
        return name

    def rest_of_varint(self, length: str) -> None:
        """Read the rest of an UNSIGNED_VARINT, which is one byte mostly."""
        with self.block(f"if {length} > 127:"):
            self.add(self.rest(length))

    def rest(self, length: str) -> str:
        """The statement that reads on behind the first byte of an UNSIGNED_VARINT."""
        return f"{length}, p = uvarint_rest(b, p, {length}, {self.lag})"

    def slice(self, length: str, compact: bool) -> str:
        """Emit code that steps over as many bytes as a length tells; returns their expression."""
        begin, end = self.fresh("q"), f"p += {length}"
        self.add(f"{begin} = {self.place()}")
        if self.lag != compact:
            end = f"p = {begin} + {length}{' - 1' * compact}"
        self.add(end)
        self.lag = 0
        return f"b[{begin}:p]"

    def flush(self, run: FixedRun) -> None:
        """Emit the one call that reads all that `run` has put off."""
        if run.string:
            self.string(run)
        elif run.codes:
            self.add(self.fixed_widths(run, self.place()))
            self.lag += size_of(run.codes)
        run.string, run.length, run.names, run.codes = "", "", [], ""

    def fixed_widths(self, run: FixedRun, place: str) -> str:
        """The statement that reads what `run` holds besides a string."""
        if run.codes == "B":
            return f"{run.names[0]} = b[{place}]"
        unpack = f"U_{run.codes.replace('?', 'o')}"
        self.constants[unpack] = f"Struct('>{run.codes}').unpack_from"
        return f"{', '.join(run.names)}, = {unpack}(b, {place})"

    def string(self, run: FixedRun) -> None:
        """The bytes of a compact string that is not nullable, with what follows it."""
        string, length, place = run.string, run.length, self.place()
        if not run.codes:
            self.rest_of_varint(length)
            with self.block(f"if not {length}:"):
                self.add("raise Bad")
            self.add(f"{string} = {self.slice(length, compact=True)}")
            return
        table = f"STRING_{run.codes.replace('?', 'o')}"
        self.constants[table] = f"strings('{run.codes}')"
        with self.block(f"if {length} < 128:"):
            self.add(f"{string}, {', '.join(run.names)}, = {table}[{length}](b, {place})")
        with self.block("else:"):
            self.add(self.rest(length))
            end = self.fresh("e")
            self.add(f"{end} = p + {length} + {self.lag - 1}")
            self.add(f"{string} = b[{place}:{end}]")
            self.add(self.fixed_widths(run, end))
        self.add(f"p += {length}")
        self.lag += size_of(run.codes) - 1
