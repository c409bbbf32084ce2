"""The reader of a testee's lines: any line is an answer, or a violation that says why."""

import sys
from contextlib import suppress

import atheris

with atheris.instrument_imports(include=["conformance.targets"]):
    from conformance.codecs.testee.answers import Violation, outcome_of, parse
    from conformance.codecs.testee.hello import parse_hello

from conformance.errors import ConformanceError
from conformance.testee_protocol import OPS, Request


def test_one_input(data: bytes) -> None:
    """As the hello, and as the answer to each operation."""
    with suppress(ConformanceError):
        parse_hello(data)
    try:
        answer = parse(data)
    except Violation:
        return
    for op in OPS:
        with suppress(Violation):
            outcome_of(answer, Request(op=op, message="MetadataRequest"), 1)


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()
