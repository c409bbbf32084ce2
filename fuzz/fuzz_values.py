"""Our writers: any value that a definition allows is written, and read as itself."""

import sys

import atheris
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.codecs.cases.strategies import messages
from conformance.reference import codec as reference
from conformance.schema.releases import message_names

load = reference.load_compiled


def load_watched(form):
    """A form's generated functions; the one that writes is watched."""
    compiled = load(form)
    return compiled._replace(encode=atheris.instrument_func(compiled.encode))


reference.load_compiled = load_watched
CODEC = reference.ReferenceCodec()
PLAIN = reference.PlainCodec()


@settings(database=None, deadline=None)
@given(st.data())
def is_written_and_read(data: st.DataObject) -> None:
    """The generated writer, the plain one and the reader agree."""
    message = data.draw(st.sampled_from(message_names(CODEC.release)))
    version = data.draw(st.sampled_from(CODEC.versions(message)))
    value = data.draw(messages(message, version, unknown_tags=True))
    written = CODEC.encode(message, version, value)
    assert written == PLAIN.encode(message, version, value)
    again, left = CODEC.decode(message, version, written)
    assert not left
    assert CODEC.encode(message, version, again) == written


if __name__ == "__main__":
    atheris.Setup(sys.argv, is_written_and_read.hypothesis.fuzz_one_input)
    atheris.Fuzz()
