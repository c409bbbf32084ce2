"""From a form to the source of a module that reads and writes it: straight-line Python.

A reader that asks the definition at every byte spends its time asking. So each (message, version)
is compiled once: neighbouring fields of fixed width, and the length that follows them, become one
`struct` call; varints of one byte are read in line; nested structs become nested loops, not calls.

The generated code does not track where it is. It only makes sure that whatever is wrong raises
something, or leaves the offset beyond the end: then the plain reader (or writer) of the same layout
does the work again and says what and where. Slices beyond the end are short and lengths are
bounded, so a lying length costs nothing on the way there.

Nothing here runs the source; `conformance.reference.codec` loads it.
"""

from __future__ import annotations

from conformance.schema.layout import Form
from conformance.wire.compiled.reader_source import ReaderSource
from conformance.wire.compiled.writer_source import WriterSource

_PREAMBLE = '''\
"""Generated from the definition of {name} v{version} ({releases}). Not to be edited."""

from conformance.wire.compiled.runtime import *

'''


def compile_form(form: Form) -> str:
    """The source of a module with `decode(b, p) -> (value, p)` and `encode(v) -> bytes`."""
    name, releases = form.message, ", ".join(form.releases)
    parts = [_PREAMBLE.format(name=name, version=form.version, releases=releases)]
    reader, writer = ReaderSource(), WriterSource()
    decode = reader.function(form.layout)
    encode = writer.function(form.layout)
    constants = {**reader.constants, **writer.constants}
    parts += [f"{key} = {value}\n" for key, value in constants.items()]
    parts += ["\n\n", *reader.functions, decode, "\n\n", *writer.functions, encode]
    return "".join(parts)
