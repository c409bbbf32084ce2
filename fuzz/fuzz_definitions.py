"""The reader and the rules of message definitions: any text is one, or is refused with a reason.

Whoever loads a definition and whoever judges it have to be of one mind: what is refused has a
finding.
"""

import sys

import atheris

with atheris.instrument_imports(include=["conformance.schema"]):
    from conformance.definitions.lint.linting import lint
    from conformance.schema.layout import form
    from conformance.schema.text.load import load_message
    from conformance.schema.text.texts import Text

from conformance.errors import ConformanceError
from conformance.schema.model import Message


def test_one_input(data: bytes) -> None:
    """Judge it; load it, and make a form of its newest version."""
    text = data.decode("utf-8", "replace")
    (judged,) = lint([Text("definition.json", text)])
    assert all(1 <= each.line <= text.count("\n") + 1 for each in judged.findings)
    message = _loaded(text)
    assert message is not None or judged.findings
    for version in list(message.valid)[-1:] if message else ():
        form(message, version)


def _loaded(text: str) -> Message | None:
    try:
        return load_message(text)
    except ConformanceError:
        return None


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()
