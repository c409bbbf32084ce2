"""Changes that a release may have: they break no rule."""

from __future__ import annotations

from conformance.definitions.mutants.evolution_mutant import (
    COUNT,
    EPOCH,
    NAME,
    SAMPLE,
    SHARE,
    SIZE,
    UNSTABLE_SAMPLE,
    EvolutionMutant,
    kafka_field,
    tagged,
)

VALID = (
    EvolutionMutant(
        "evolution-valid-tag-added",
        "",
        "A tagged field more, in a version that is out.",
        SAMPLE,
        (
            (
                SIZE,
                f"{SIZE},\n      {tagged('More', 2, '2+')}",
            ),
        ),
    ),
    EvolutionMutant(
        "evolution-valid-tag-added-within",
        "",
        "A tagged field more in a struct that is tagged itself, and so in that one's default.",
        "FetchRequest.json",
        (
            (
                kafka_field("ReplicaEpoch", indent=5),
                f"    {tagged('More', 0, '15+')},\n{kafka_field('ReplicaEpoch', indent=5)}",
            ),
        ),
    ),
    EvolutionMutant(
        "evolution-valid-tag-gone",
        "",
        "A tagged field less.",
        SAMPLE,
        ((f",\n      {SIZE}", ""),),
    ),
    EvolutionMutant(
        "evolution-valid-renamed",
        "",
        "A plain field, a tagged one and a struct with other names.",
        SAMPLE,
        (
            ('"name": "Size"', '"name": "Extent"'),
            ('"name": "Share"', '"name": "Portion"'),
            ('"name": "Rows"', '"name": "Lines"'),
        ),
    ),
    EvolutionMutant(
        "evolution-valid-version-added",
        "",
        "A version more, with a field more.",
        SAMPLE,
        (
            ('"validVersions": "0-3"', '"validVersions": "0-4"'),
            (SHARE, f'{SHARE},\n    {{ "name": "More", "type": "bool", "versions": "4+" }}'),
        ),
    ),
    EvolutionMutant(
        "evolution-valid-first-tag",
        "",
        "The first tagged field of a message comes with a new version, which is flexible.",
        "PlainRequest.json",
        (
            ('"validVersions": "0-1"', '"validVersions": "0-2"'),
            ('"flexibleVersions": "none"', '"flexibleVersions": "2+"'),
            (
                COUNT,
                f"{COUNT},\n      {tagged('More', 0, '2+')}",
            ),
        ),
    ),
    EvolutionMutant(
        "evolution-valid-unstable-tag-added",
        "",
        "A tagged field more in the unstable version.",
        UNSTABLE_SAMPLE,
        ((EPOCH, f"{EPOCH},\n    {EPOCH.replace('Epoch', 'Term').replace(': 0', ': 1')}"),),
    ),
    EvolutionMutant(
        "evolution-valid-unstable-withdrawn",
        "",
        "The unstable version is withdrawn.",
        UNSTABLE_SAMPLE,
        (
            ('"validVersions": "0-3"', '"validVersions": "0-2"'),
            ('  "latestVersionUnstable": true,\n', ""),
        ),
    ),
    EvolutionMutant(
        "evolution-valid-oldest-dropped",
        "",
        "The oldest versions of Fetch are dropped.",
        "FetchRequest.json",
        (('"validVersions": "4-18"', '"validVersions": "7-18"'),),
    ),
    EvolutionMutant(
        "evolution-valid-message-renamed",
        "",
        "A request has another name, and is what it was.",
        "PlainRequest.json",
        (('"name": "PlainRequest"', '"name": "OtherRequest"'),),
    ),
    EvolutionMutant(
        "evolution-valid-plain-default",
        "",
        "A plain field that a version lacks is taken for another value; the bytes are the same.",
        SAMPLE,
        (('"default": "0.5"', '"default": "0.25"'),),
    ),
    EvolutionMutant(
        "evolution-valid-struct-around",
        "",
        "A field stands in a struct of its own, which leaves no byte in versions without tags.",
        "PlainRequest.json",
        (
            (
                NAME,
                f'{{ "name": "Who", "type": "Who", "versions": "0+", "fields": [{NAME}] }}',
            ),
        ),
    ),
    EvolutionMutant(
        "evolution-valid-bytes",
        "",
        "Records are bytes to whoever does not look into them.",
        SAMPLE,
        (('"name": "Batch", "type": "records"', '"name": "Batch", "type": "bytes"'),),
    ),
)
