"""The mistake in an answer, described so that its author knows what to change.

"This is not the value" is true of a field under another name, of a uuid with dashes, of an integer
that went through a double, and helps with none of them. So an answer to a known message is compared
with the expected one field by field, and the first difference is checked for its usual causes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from conformance.codecs.testee.worked_examples import TextKind, WorkedExample, is_framed
from conformance.targets.errors import shorten
from conformance.testee_protocol import Op, Outcome

INT64_AS_TEXT: Final = (
    'declare "int64":"string" in hello: then 64-bit integers are sent as decimal strings too'
)
_KIND_REMEDIES: Final[Mapping[TextKind, str]] = {
    "int64": "64-bit integers are exact: where the language's numbers are doubles, use its big "
    'integers, declare "int64":"string" and answer decimal strings',
    "bytes": "bytes and records in a value are base64 with + and / and padding (RFC 4648, section "
    "4); hex is for the line's own `bytes`",
    "uuid": "a uuid is its 16 bytes in url-safe base64 without padding, 22 characters, as Kafka "
    "writes it: no hex, no dashes",
}
_NO_LENGTH: Final = "leave out the 4-byte length: frames and messages come without it, both ways"
_HEADER_NAMES: Final = (
    "use the field names of RequestHeader and ResponseHeader, in lowerCamelCase: requestApiKey, "
    "requestApiVersion, correlationId, clientId"
)
_NAMES: Final = "use the definitions' field names in lowerCamelCase"


@dataclass(frozen=True)
class Mistake:
    """A mistake, and its remedy."""

    what: str
    remedy: str


def mistake_in(fact: WorkedExample, op: Op, outcome: Outcome) -> Mistake | None:
    """The first thing that is wrong with an outcome of `op` on a known message."""
    if outcome.outcome != "value":
        return Mistake(described(outcome), _refusal_remedy(fact, op, outcome))
    if outcome.bytes is not None:
        return _in_bytes(fact, op, outcome.bytes)
    if outcome.remaining:
        return Mistake(
            f"remaining is {outcome.remaining} at the end of the message",
            "count the bytes that were not decoded, or answer null where nobody can tell",
        )
    if is_framed(op):
        header = _in_struct(fact.header or {}, outcome.header, {}, "header")
        if header:
            return Mistake(header.what, _HEADER_NAMES)
    return _in_struct(fact.value, outcome.value, fact.kinds, "")


def edge_remedy(kind: str) -> str:
    """Return the remedy for a value at the edge of a type that is lost."""
    if kind == "int64":
        return _KIND_REMEDIES["int64"]
    if kind == "string":
        return "write and read text as UTF-8, in the message as in the lines of the testee"
    if kind == "float64":
        return "a FLOAT64 that JSON has no number for is the text NaN, Infinity or -Infinity"
    return f"hold {kind.upper()} in a type with its range, from the lowest to the highest"


def described(outcome: Outcome) -> str:
    """An outcome in a few words."""
    said = outcome.text or (outcome.bytes.hex() if outcome.bytes is not None else "")
    said = said or (_shown(outcome.value) if outcome.value is not None else "")
    named = f" ({outcome.error})" if outcome.error else ""
    return f"{outcome.outcome}{named}{f': {shorten(said)}' if said else ''}"


def _refusal_remedy(fact: WorkedExample, op: Op, outcome: Outcome) -> str:
    remedy = "answer what hello declares, or declare less: fewer messages, versions or ops"
    if outcome.outcome != "rejected":
        return remedy
    if op.startswith("encode") and "int64" in fact.kinds.values():
        return f"the suite sends a 64-bit integer as a JSON integer: take it, or {INT64_AS_TEXT}"
    if op.startswith("encode") and fact.kinds:
        return " and ".join(_remedies(fact))
    if op.startswith("encode"):
        return f"take the value as it is sent, by {_NAMES.removeprefix('use ')}; {remedy}"
    return f"{_NO_LENGTH}; {remedy}" if is_framed(op) else remedy


def _in_bytes(fact: WorkedExample, op: Op, got: bytes) -> Mistake | None:
    framed = is_framed(op)
    due = fact.frame if framed else fact.body
    if got == due:
        return None
    if got == len(due).to_bytes(4, "big") + due:
        return Mistake(f"{got.hex()} begins with its length", _NO_LENGTH)
    if not framed and fact.header_bytes and got.endswith(fact.frame):
        remedy = "write the message alone: no length, no header"
        return Mistake(f"{got.hex()} begins with a header", remedy)
    what = f"{shorten(got.hex()) or 'nothing'} where {due.hex() or 'nothing'} is due"
    if framed and got == fact.body:
        return Mistake(what, "write the header before the message")
    if framed:
        return Mistake(
            what,
            "write the header and the message, without a length before them; the header's version "
            "follows from the message's",
        )
    alone = "write the message alone: no length, no header"
    return Mistake(what, "; ".join([alone, *_remedies(fact)]))


def _remedies(fact: WorkedExample) -> list[str]:
    """Return a remedy for each kind of field that the example has."""
    return [_KIND_REMEDIES[kind] for kind in dict.fromkeys(fact.kinds.values())]


def _in_struct(due: Any, got: Any, kinds: Mapping[str, TextKind], path: str) -> Mistake | None:
    if not isinstance(got, dict):
        what = f"{path or 'the value'} is {_shown(got)} where {_shown(due)} is due"
        return Mistake(what, "a struct is a JSON object with the field names as keys")
    for name, value in due.items():
        here = f"{path}.{name}" if path else name
        if name not in got:
            return _missing(name, got, here)
        mistake = _in_value(value, got[name], kinds, here)
        if mistake:
            return mistake
    return None


def _in_value(due: Any, got: Any, kinds: Mapping[str, TextKind], path: str) -> Mistake | None:
    if isinstance(due, dict) and got is not None:
        return _in_struct(due, got, kinds, path)
    if isinstance(due, list) and isinstance(got, list) and len(due) == len(got):
        items = enumerate(zip(due, got, strict=True))
        found = (_in_value(one, other, kinds, f"{path}[{i}]") for i, (one, other) in items)
        return next((mistake for mistake in found if mistake), None)
    kind = kinds.get(path.rpartition(".")[2])
    if type(due) is type(got) and due == got:
        return None
    if kind == "int64" and got == str(due):
        return None  # both forms are read, whichever hello declares
    what = f"{path} is {_shown(got)} where {_shown(due)} is due"
    return Mistake(what, _value_remedy(due, got, kind))


def _missing(name: str, got: dict[str, Any], path: str) -> Mistake:
    plain = name.lower()
    alike = next((key for key in got if _plain(key) == plain), None)
    if alike is not None:
        return Mistake(f"{path} is missing, {alike} is there", f"{_NAMES}: {name}")
    if any(isinstance(inner, dict) and name in inner for inner in got.values()):
        remedy = "`value` is the message's object itself, with nothing around it"
        return Mistake(f"{path} is missing, and is deeper in {_shown(got)}", remedy)
    return Mistake(
        f"{path} is missing in {_shown(got)}",
        f"{_NAMES}; every field of the version is due, the null ones too: none has a default",
    )


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()


def _value_remedy(due: Any, got: Any, kind: TextKind | None) -> str:
    if due is None:
        return "answer null as null: it is another value than an empty string, array or object"
    if got is None:
        return "null stands for what is null on the wire; what is empty is an empty value"
    if kind:
        return _KIND_REMEDIES[kind]
    if isinstance(due, bool):
        return "a boolean is true or false"
    if isinstance(due, int):
        return "integers are JSON integers with their sign; only 64-bit ones may be strings"
    if isinstance(due, list):
        return "an array is a JSON array of all its elements, in their order"
    return "a string is a JSON string of the same characters"


def _shown(value: Any) -> str:
    return shorten(msgspec.json.encode(value).decode())
