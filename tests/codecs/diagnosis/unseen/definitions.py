"""Kafka's message definitions as they lie in `schemas/4.4.0`, read without the suite's own code."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DEFINITIONS = Path(__file__).parents[4] / "schemas" / "4.4.0"


@dataclass(frozen=True)
class Versions:
    low: int
    high: int

    def __contains__(self, version: int) -> bool:
        return self.low <= version <= self.high


NONE = Versions(0, -1)


def versions(text: str | None, default: Versions = NONE) -> Versions:
    if text is None:
        return default
    if text == "none":
        return NONE
    if text.endswith("+"):
        return Versions(int(text[:-1]), 32767)
    low, _, high = text.partition("-")
    return Versions(int(low), int(high or low))


@dataclass(frozen=True)
class Field:
    name: str
    type: str
    array: bool
    versions: Versions
    nullable: Versions
    tagged: Versions
    tag: int
    flexible: Versions | None
    default: Any
    ignorable: bool
    key: bool
    fields: tuple["Field", ...] | None


@dataclass(frozen=True)
class Message:
    name: str
    kind: str
    api_key: int
    valid: Versions
    flexible: Versions
    fields: tuple[Field, ...]


def _fields(raw: Sequence[dict[str, Any]], common: dict[str, Any]) -> tuple[Field, ...]:
    fields = []
    for one in raw:
        kind = one["type"].removeprefix("[]")
        own = one.get("fields") or common.get(kind)
        tagged = versions(one.get("taggedVersions"))
        flexible = one.get("flexibleVersions")
        fields.append(
            Field(
                name=one["name"][0].lower() + one["name"][1:],
                type=kind,
                array=one["type"].startswith("[]"),
                versions=versions(one.get("versions"), tagged),
                nullable=versions(one.get("nullableVersions")),
                tagged=tagged,
                tag=one.get("tag", -1),
                flexible=None if flexible is None else versions(flexible),
                default="" if one.get("default") is None else one["default"],
                ignorable=one.get("ignorable", False),
                key=one.get("mapKey", False),
                fields=None if own is None else _fields(own, common),
            )
        )
    return tuple(fields)


@cache
def messages() -> dict[str, Message]:
    found = {}
    for path in sorted(DEFINITIONS.glob("*.json")):
        raw = json.loads(path.read_text("utf-8"))
        valid = versions(raw.get("validVersions"))
        if valid == NONE:
            continue
        common = {one["name"]: one["fields"] for one in raw.get("commonStructs", ())}
        found[raw["name"]] = Message(
            name=raw["name"],
            kind=raw["type"],
            api_key=raw.get("apiKey", -1),
            valid=valid,
            flexible=versions(raw.get("flexibleVersions")),
            fields=_fields(raw["fields"], common),
        )
    return found
