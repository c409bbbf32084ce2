"""Messages that are declared though none with values is read.

A library may have a message in part: an adapter that declares it has every case refused, and each
is charged to the codec. It can't be seen from here whose fault that is, so it is a note.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.known_definitions import followed_release, unheld
from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.codecs.testee.asking import Asking
from conformance.data import vector_messages
from conformance.schema.releases import form_for
from conformance.targets.errors import shorten
from conformance.testee_protocol import Hello, Op, Outcome, Request, Target

REMEDY = (
    "leave it out of hello if the library has it in part, or mend how it is mapped; if the library "
    "itself refuses it, a run shows that"
)
_FILLED = ("filled", "two")
"""The shapes of messages in which each field has a value, and each array an element."""
_READERS: tuple[Op, ...] = ("decode", "roundtrip")


def unread(target: Target, asking: Asking) -> Iterator[str]:
    """Yield, in words, each message that is refused whenever its fields have values. Raises Wrong.

    Asked are the lowest and the highest version that is declared.
    """
    for message in sorted(target.hello.messages.keys() & set(vector_messages())):
        first: Outcome | None = None
        for request in _requests(target.hello, message):
            outcome = asking(request)
            if not _is_unread(outcome):
                break
            first = first or outcome
        else:
            if first is not None:
                said = shorten(f"{first.error}: {first.text}")
                yield f"{message} is declared, but no message with a member is read: {said}"


def _is_unread(outcome: Outcome) -> bool:
    """True if it was refused while it was read."""
    return outcome.outcome == "rejected" and outcome.stage != "encode"


def _requests(hello: Hello, message: str) -> Iterator[Request]:
    """Yield the requests to read a message with values, in two versions at most."""
    found: dict[int, list[Request]] = {}
    for vector in read_vectors(message):
        if vector.id.rpartition(f"-v{vector.version}-")[2] in _FILLED:
            found.setdefault(vector.version, []).extend(_reading(hello, vector))
    asked = {version: requests for version, requests in found.items() if requests}
    for version in sorted({min(asked), max(asked)}) if asked else ():
        yield from asked[version]


def _reading(hello: Hello, vector: Vector) -> Iterator[Request]:
    """Yield the request to read a vector, none if the target can't be asked that."""
    form = form_for(followed_release(hello), vector.message, vector.version)
    is_held = not unheld(hello, vector.message, vector.value)
    if form is None or not is_held or not set(form.releases) & set(vector.releases):
        return
    for op in _READERS:
        request = Request(op=op, message=vector.message, version=vector.version, bytes=vector.data)
        if hello.supports(request):
            yield request
            return
