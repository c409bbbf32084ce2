"""A codec object of this process as a target.

Only for codecs of our own: the reference and its mutants. This process does not survive a crash, a
hang or a bomb; a foreign codec belongs in a `Testee`. Exceptions of the object mean the same as
they do there, as both go through `serve`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

import msgspec

from conformance.codecs.testee.answers import Violation, outcome_of, parse_object, request_fields
from conformance.codecs.testee.hello import read_hello
from conformance.codecs.testee.serve import AdapterError, answer_to
from conformance.targets.errors import BadHello
from conformance.testee_protocol import Outcome, Request


class ObjectTarget:
    """A `Target` around an object with the methods that `serve` calls."""

    def __init__(self, codec: object) -> None:
        """Read the codec's hello. Raises BadHello."""
        self._codec = codec
        self._last_id = 0
        try:
            said = answer_to(codec, {"op": "hello"})
        except AdapterError as error:
            raise BadHello(str(error)) from error
        self.hello = read_hello(msgspec.json.decode(msgspec.json.encode(said)))  # as it travels

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def notes(self) -> list[str]:
        """Return no notes: it has no process of its own."""
        return []

    def ask(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        """Answer one request after another; the next is taken when its outcome is wanted."""
        return map(self._outcome, requests)

    def close(self) -> None:
        """Do nothing: no process was started."""

    def _outcome(self, request: Request) -> Outcome:
        self._last_id += 1
        fields = request_fields(request, self._last_id)
        try:
            answer = parse_object({"id": self._last_id, **answer_to(self._codec, fields)})
            return outcome_of(answer, request, self._last_id)
        except (AdapterError, Violation) as error:
            return Outcome(outcome="error", text=str(error))
