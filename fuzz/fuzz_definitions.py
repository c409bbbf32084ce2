"""The reader of message definitions: any text is a definition, or refused with a reason."""

import sys

import atheris

with atheris.instrument_imports(include=["conformance.schema"]):
    from conformance.schema.layout import form
    from conformance.schema.load import load_message

from conformance.errors import ConformanceError


def test_one_input(data: bytes) -> None:
    """Load it, and make a form of its newest version."""
    try:
        message = load_message(data.decode("utf-8", "replace"))
    except ConformanceError:
        return
    for version in list(message.valid)[-1:]:
        form(message, version)


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()
