"""Edits of real definitions, drawn at random: the rules and the bytes say the same of each.

Where a rule finds something, two peers misread each other; where none does, no value is misread.
The rules look at definitions alone and the proofs at bytes alone, so that neither can hide what
the other forgot.
"""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

import pytest

from conformance.definitions.evolution.breach import Breach
from conformance.definitions.evolution.pairing import Matched, match
from conformance.definitions.evolution.release import read_release
from conformance.definitions.proofs.evolution import examined, prove
from conformance.schema.releases import definitions
from conformance.schema.text.texts import Text

Json = dict[str, Any]
KINDS = ("bool", "int8", "int16", "int32", "int64", "uint16", "uint32", "float64", "uuid", "string")
TYPES = (*KINDS, "bytes", "records", "[]int32", "[]string", "[]bytes")
EDITS_A_SEED = 300


def structs(content: Json) -> list[list[Json]]:
    """The lists of fields of a definition, or of a struct in it."""
    fields: list[Json] = content["fields"]
    inner = [*content.get("commonStructs", []), *(each for each in fields if "fields" in each)]
    return [fields, *(found for each in inner for found in structs(each))]


def edit(content: Json, rng: random.Random) -> None:
    """One change of a definition, sensible or not."""
    fields = rng.choice([found for found in structs(content) if found])
    index = rng.randrange(len(fields))
    match rng.randrange(3):
        case 0:
            edit_field(fields[index], rng)
        case 1:
            edit_order(fields, index, rng)
        case 2:
            edit_message(content, fields, rng)


def edit_field(one: Json, rng: random.Random) -> None:
    match rng.randrange(5):
        case 0 if "fields" not in one:
            one["type"] = rng.choice(TYPES)
            one.pop("default", None)
        case 1:
            if one.pop("nullableVersions", None) is None:
                one["nullableVersions"] = one.get("versions", "0+")
        case 2:
            one["default"] = rng.choice(["0", "1", "-1", "null", "true", "", "x"])
        case 3:
            one["name"] = "Other"
        case 4 if "tag" in one:
            one["tag"] = 31


def edit_order(fields: list[Json], index: int, rng: random.Random) -> None:
    one, other = fields[index], rng.choice(fields)
    match rng.randrange(4):
        case 0:
            del fields[index]
        case 1:
            new = {"name": "New", "type": rng.choice(TYPES), "versions": one.get("versions", "0+")}
            fields.insert(index, new)
        case 2:
            place = fields.index(other)
            fields[index], fields[place] = other, one
        case 3 if "tag" in one and "tag" in other:
            one["tag"], other["tag"] = other["tag"], one["tag"]


def edit_message(content: Json, fields: list[Json], rng: random.Random) -> None:
    flexible = content["flexibleVersions"]
    match rng.randrange(3):
        case 0 if flexible != "none":
            tagged = {"versions": flexible, "tag": 40, "taggedVersions": flexible}
            fields.append({"name": "New", "type": "int32", **tagged})
        case 1:
            content["flexibleVersions"] = "0+" if flexible == "none" else "1+"
        case 2:
            content["latestVersionUnstable"] = True


def edited(rng: random.Random) -> Matched:
    """A definition of Kafka, and what it is after one or two edits."""
    holder = definitions()
    name = rng.choice([each.name for each in holder if each.valid and each.fields])
    old = json.loads(holder.text(name))
    new = deepcopy(old)
    for _ in range(rng.choice([1, 1, 2])):
        if new["fields"]:
            edit(new, rng)
    sides = [[Text(f"{name}.json", json.dumps(content))] for content in (old, new)]
    return match(read_release("1.0", sides[0]), read_release("1.1", sides[1]))


def misread(found: Matched) -> list[tuple[str, int]]:
    return [
        (step.old.message, step.old.version)
        for pair in found.pairs
        for step in pair.steps
        if step.old.layout != step.new.layout and prove(Breach(""), step).smallest
    ]


@pytest.mark.parametrize("seed", range(4))
def test_rules_and_bytes_say_the_same(seed: int) -> None:
    rng = random.Random(seed)
    clean = broken = 0

    for _ in range(EDITS_A_SEED):
        found = edited(rng)
        findings = [finding for each in examined(found) for finding in each.findings]
        assert [each for each in findings if "no value shows it" in each.reason] == []
        assert all(each.proof is None or each.proof.value != each.proof.read for each in findings)
        assert findings or misread(found) == []
        clean += not found.unread and not findings
        broken += bool(findings)

    assert min(clean, broken) > EDITS_A_SEED / 10
