"""Versions, plain fields and api keys that changed where they may not."""

from __future__ import annotations

from conformance.definitions.mutants.evolution_mutant import (
    CLIENT,
    COUNT,
    EPOCH,
    SAMPLE,
    SHARE,
    UNSTABLE_SAMPLE,
    EvolutionMutant,
    kafka_field,
    tagged,
)

FLEXIBLE = "evolution.inflexible-stays"
FORM = "evolution.stable-form-kept"
UNSTABLE = "evolution.unstable-named"
FOLLOW = "evolution.versions-follow"
API_KEY = "evolution.api-key-kept"

MUTANTS = (
    EvolutionMutant(
        "evolution-flexible-afterwards",
        FLEXIBLE,
        "Version 1, which was not flexible, is.",
        SAMPLE,
        (
            (
                '"flexibleVersions": "2+",\n  "headerVersions"',
                '"flexibleVersions": "1+",\n  "headerVersions"',
            ),
        ),
    ),
    EvolutionMutant(
        "evolution-flexible-no-more",
        FLEXIBLE,
        "The newest version of DeleteGroups has plain lengths again.",
        "DeleteGroupsRequest.json",
        (('"flexibleVersions": "2+"', '"flexibleVersions": "3+"'),),
    ),
    EvolutionMutant(
        "evolution-stable-widened",
        FORM,
        "A field of a struct that others use is wider.",
        SAMPLE,
        (('"name": "Across", "type": "int32"', '"name": "Across", "type": "int64"'),),
        ("Places.Across",),
    ),
    EvolutionMutant(
        "evolution-stable-unsigned",
        FORM,
        "A field of a struct that others use has lost its sign; small numbers are read alike.",
        SAMPLE,
        (('"name": "Across", "type": "int32"', '"name": "Across", "type": "uint32"'),),
        ("Places.Across",),
    ),
    EvolutionMutant(
        "evolution-stable-swapped",
        FORM,
        "Two fields are in each other's place.",
        SAMPLE,
        ((CLIENT, "#"), (SHARE, CLIENT), ("#", SHARE)),
        ("Share", "Client"),
        at=SHARE,
    ),
    EvolutionMutant(
        "evolution-stable-swapped-alike",
        FORM,
        "The longest wait and the least size of Fetch, two int32, are in each other's place.",
        "FetchRequest.json",
        (
            ('"name": "MinBytes"', '"name": "#"'),
            ('"name": "MaxWaitMs"', '"name": "MinBytes"'),
            ('"name": "#"', '"name": "MaxWaitMs"'),
        ),
        ("MinBytes", "MaxWaitMs"),
        at=kafka_field("MinBytes"),
    ),
    EvolutionMutant(
        "evolution-stable-bytes",
        FORM,
        "The groups to delete are bytes: alike in the compact form, and not always text.",
        "DeleteGroupsRequest.json",
        (
            ('"type": "[]string"', '"type": "[]bytes"'),
            (',\n   "entityType": "groupId"', ""),
        ),
        ("GroupsNames",),
        at=kafka_field("GroupsNames"),
    ),
    EvolutionMutant(
        "evolution-stable-added",
        FORM,
        "A field more in all versions.",
        "PlainRequest.json",
        ((COUNT, f'{COUNT},\n      {{ "name": "More", "type": "bool", "versions": "0+" }}'),),
        ("Rows.More",),
        at='{ "name": "More"',
    ),
    EvolutionMutant(
        "evolution-stable-taken-away",
        FORM,
        "A field less in all versions; the older definition has its line.",
        "PlainRequest.json",
        (('    { "name": "Name", "type": "string", "versions": "0+" },\n', ""),),
        ("Name",),
        at='    { "name": "Rows"',
    ),
    EvolutionMutant(
        "evolution-stable-nullable",
        FORM,
        "The groups to delete may be null, in the newest version.",
        "DeleteGroupsRequest.json",
        (('"type": "[]string"', '"type": "[]string",\n   "nullableVersions": "2+"'),),
        ("GroupsNames",),
        at=kafka_field("GroupsNames"),
    ),
    EvolutionMutant(
        "evolution-unstable-tag-widened",
        UNSTABLE,
        "A tagged field of the unstable version is wider.",
        UNSTABLE_SAMPLE,
        ((EPOCH, EPOCH.replace("int32", "int64")),),
        ("Epoch",),
    ),
    EvolutionMutant(
        "evolution-unstable-tag-given-away",
        UNSTABLE,
        "A tag that only the unstable version had is another field's.",
        UNSTABLE_SAMPLE,
        ((EPOCH, EPOCH.replace("Epoch", "Term").replace("int32", "string")),),
        ("Term",),
    ),
    EvolutionMutant(
        "evolution-unstable-flexible",
        UNSTABLE,
        "The unstable version is flexible, for a tagged field, the first of its message.",
        "OpenPlainRequest.json",
        (
            ('"flexibleVersions": "none"', '"flexibleVersions": "1+"'),
            (COUNT, f"{COUNT},\n      {tagged('More', 0, '1+')}"),
        ),
        at='{\n  "apiKey"',
    ),
    EvolutionMutant(
        "evolution-unstable-changed",
        UNSTABLE,
        "What the unstable version of InitProducerId adds is an int16.",
        "InitProducerIdRequest.json",
        (
            (
                kafka_field(
                    "Enable2Pc", '"type": "bool"', '"versions": "6+"', '"default": "false"'
                ),
                kafka_field("Enable2Pc", '"type": "int16"', '"versions": "6+"'),
            ),
        ),
        ("Enable2Pc",),
    ),
    EvolutionMutant(
        "evolution-version-withdrawn",
        FOLLOW,
        "The newest version, which was stable, is no more.",
        SAMPLE,
        (('"validVersions": "0-3"', '"validVersions": "0-2"'),),
        misread=False,
    ),
    EvolutionMutant(
        "evolution-version-unstable-again",
        FOLLOW,
        "The newest version, which was stable, may change again.",
        "PlainRequest.json",
        (('  "validVersions"', '  "latestVersionUnstable": true,\n  "validVersions"'),),
        misread=False,
    ),
    EvolutionMutant(
        "evolution-version-back",
        FOLLOW,
        "A version of Fetch that was dropped is back.",
        "FetchRequest.json",
        (('"validVersions": "4-18"', '"validVersions": "3-18"'),),
        misread=False,
    ),
    EvolutionMutant(
        "evolution-api-key-changed",
        API_KEY,
        "A request has another api key.",
        "PlainRequest.json",
        (('"apiKey": 997', '"apiKey": 996'),),
        misread=False,
    ),
    EvolutionMutant(
        "evolution-type-changed",
        API_KEY,
        "A request became a response.",
        "FetchRequest.json",
        (
            ('"type": "request"', '"type": "response"'),
            (' "listeners": [\n  "broker",\n  "controller"\n ],\n', ""),
        ),
        misread=False,
    ),
    EvolutionMutant(
        "evolution-api-key-given-away",
        API_KEY,
        "A request that is gone has left its api key to another one.",
        "PlainRequest.json",
        (
            ('"name": "PlainRequest"', '"name": "OtherRequest"'),
            ('"name": "Name", "type": "string"', '"name": "Level", "type": "int16"'),
        ),
        at='"apiKey": 997',
    ),
)
