"""An example of each rule of brokers, clients or proxies in bytes: right beside wrong.

None is written by hand: `python -m tests.proof.examples` writes `brokers.json`, `clients.json` and
`proxies.json`. The reference and a mutant hold the dialogue of a rule, or meet its scenario.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import msgspec

from conformance.rules.examples import ExampleRow, table

BROKERS, CLIENTS, PROXIES = "brokers.json", "clients.json", "proxies.json"


class Side(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A frame, without its length, or what happens instead of one, as `says` puts it.

    `bytes` are hex, and only the first of a long frame of `size` bytes. `direction` is request or
    response; it is empty, as is `message`, if the frame is of no known message.
    """

    says: str = ""
    direction: str = ""
    message: str = ""
    version: int = 0
    bytes: str = ""
    size: int = 0

    def text(self) -> str:
        """The side in one line."""
        if not self.direction and not self.bytes:
            return self.says
        name = f"{self.message} v{self.version}" if self.message else "a frame"
        more = f" … ({self.size} bytes)" if self.size * 3 - 1 > len(self.bytes) else ""
        return f"{name}: {self.bytes}{more}" + (f", {self.says}" if self.says else "")


class Exchange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The input, the reaction of the reference, and that of a mutant that breaks the rule.

    `case` is the dialogue or scenario. `given` are the requests to a broker, or the last answer to
    a client. `rows` are the bytes that matter, named.
    """

    rule: str
    case: str
    mutant: str
    defect: str
    given: list[Side] = []
    right: Side
    wrong: Side
    rows: list[ExampleRow] = []

    def lines(self) -> Iterator[str]:
        """Yield the lines of the example as text, in columns."""
        yield f"{self.case}:"
        yield from (f"  given: {side.text()}" for side in self.given)
        yield f"  right: {self.right.text()}"
        yield f"  wrong: {self.wrong.text()}"
        yield f"         ({self.mutant}: {self.defect})"
        yield from table(self.rows)


@cache
def exchanges() -> dict[str, Exchange]:
    """Return the examples of brokers, then those of clients and of proxies, by rule."""
    names = (BROKERS, CLIENTS, PROXIES)
    each = (example for name in names for example in stored(name))
    return {example.rule: example for example in each}


@cache
def stored(name: str) -> list[Exchange]:
    """Return the contents of one file."""
    return msgspec.json.decode((files(__package__) / name).read_bytes(), type=list[Exchange])
