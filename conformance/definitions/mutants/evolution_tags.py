"""Tags that changed where they may not, and the first one of a message."""

from __future__ import annotations

from conformance.definitions.mutants.evolution_mutant import (
    COUNT,
    ENDPOINTS,
    EPOCH,
    LABEL,
    PARTITION_CHANGE,
    SAMPLE,
    SIZE,
    EvolutionMutant,
    kafka_field,
    tagged,
)

KEPT = "evolution.tag-kept"
GIVEN_AWAY = "evolution.tag-not-given-away"
DEFAULT = "evolution.tag-default-kept"
NEW_VERSION = "evolution.tagged-needs-new-version"

MUTANTS = (
    EvolutionMutant(
        "evolution-tag-narrowed",
        KEPT,
        "A tagged int64 became an int32.",
        SAMPLE,
        ((SIZE, SIZE.replace("int64", "int32")),),
        ("Rows.Size",),
    ),
    EvolutionMutant(
        "evolution-tag-not-nullable",
        KEPT,
        "A tagged field that could be null can't, and so has another default.",
        SAMPLE,
        ((LABEL, LABEL.replace(', "nullableVersions": "2+"', "").replace("null", "")),),
        ("Rows.Label",),
    ),
    EvolutionMutant(
        "evolution-tag-nullable",
        KEPT,
        "The tagged endpoints of Fetch may be null.",
        "FetchResponse.json",
        (
            (
                kafka_field("NodeEndpoints", *ENDPOINTS),
                kafka_field("NodeEndpoints", *ENDPOINTS, '"nullableVersions": "16+"'),
            ),
        ),
        ("NodeEndpoints",),
    ),
    EvolutionMutant(
        "evolution-tag-widened-within",
        KEPT,
        "A plain field within the tagged endpoints of Fetch is wider.",
        "FetchResponse.json",
        (
            (
                kafka_field("Port", '"type": "int32"', indent=5),
                kafka_field("Port", '"type": "int64"', indent=5),
            ),
        ),
        ("NodeEndpoints.Port",),
    ),
    EvolutionMutant(
        "evolution-tag-renumbered",
        KEPT,
        "A tagged field goes by another number.",
        SAMPLE,
        ((SIZE, SIZE.replace('"tag": 1', '"tag": 2')),),
        ("Rows.Size",),
        at='"tag": 2',
    ),
    EvolutionMutant(
        "evolution-tag-float",
        KEPT,
        "A tagged int64 became a float64 of as many bytes, and of the same default.",
        SAMPLE,
        ((SIZE, SIZE.replace("int64", "float64").replace("0x10", "16.0")),),
        ("Rows.Size",),
    ),
    EvolutionMutant(
        "evolution-tag-retyped-later",
        KEPT,
        "A new version has a tagged field with another type; no version that is left ever had it.",
        SAMPLE,
        (
            ('"validVersions": "0-3"', '"validVersions": "0-4"'),
            (EPOCH, tagged("Epoch", 0, "4+").replace("int32", "string")),
        ),
        ("Epoch",),
        at='{ "name": "Epoch"',
        misread=False,
    ),
    EvolutionMutant(
        "evolution-tag-given-away",
        GIVEN_AWAY,
        "A field that is gone has left its tag to one of another type.",
        SAMPLE,
        (
            (
                LABEL,
                tagged("Weight", 0, "2+"),
            ),
        ),
        ("Rows.Weight",),
        at='{ "name": "Weight"',
    ),
    EvolutionMutant(
        "evolution-tag-given-away-later",
        GIVEN_AWAY,
        "A new version gives a tag to another field; no version that is left ever had it.",
        SAMPLE,
        (
            ('"validVersions": "0-3"', '"validVersions": "4-5"'),
            (EPOCH, tagged("Term", 0, "4+").replace("int32", "string")),
        ),
        ("Term",),
        at='{ "name": "Term"',
        misread=False,
    ),
    EvolutionMutant(
        "evolution-tags-swapped",
        GIVEN_AWAY,
        "The replicas that come and those that go have each other's tags.",
        PARTITION_CHANGE,
        (('"tag": 3', '"tag": 9'), ('"tag": 4', '"tag": 3'), ('"tag": 9', '"tag": 4')),
        ("AddingReplicas", "RemovingReplicas"),
        at='"tag": 4',
    ),
    EvolutionMutant(
        "evolution-tag-default-raised",
        DEFAULT,
        "A tagged size that is not sent is twice of what it was.",
        SAMPLE,
        ((SIZE, SIZE.replace("0x10", "0x20")),),
        ("Rows.Size",),
    ),
    EvolutionMutant(
        "evolution-tag-default-null",
        DEFAULT,
        "A leader that is not sent is none, rather than the same.",
        PARTITION_CHANGE,
        (('"default": "-2"', '"default": "-1"'),),
        ("Leader",),
        at=kafka_field("Leader"),
    ),
    EvolutionMutant(
        "evolution-tagged-in-old-version",
        NEW_VERSION,
        "A message without flexible versions got a tagged field in its newest one.",
        "PlainRequest.json",
        (
            ('"flexibleVersions": "none"', '"flexibleVersions": "1+"'),
            (
                COUNT,
                f"{COUNT},\n      {tagged('More', 0, '1+')}",
            ),
        ),
        ("Rows.More",),
        at='{ "name": "More"',
    ),
    EvolutionMutant(
        "evolution-tagged-in-handshake",
        NEW_VERSION,
        "The handshake of SASL, which every client speaks, got a tagged field.",
        "SaslHandshakeRequest.json",
        (
            ('"flexibleVersions": "none"', '"flexibleVersions": "0+"'),
            (
                kafka_field("Mechanism"),
                f"  {tagged('Realm', 0, '0+')},\n{kafka_field('Mechanism')}",
            ),
        ),
        ("Realm",),
        at='{ "name": "Realm"',
    ),
)
