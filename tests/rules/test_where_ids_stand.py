"""A rule's id stands in its table, at what decides it and at its mutants, and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import conformance
from conformance.rules import Rule, catalogue

PACKAGE = Path(conformance.__file__).parent
DECIDE = {
    "brokers/dialogues": "broker",
    "clients/scenarios": "client",
    "codecs/cases": "codec",
    "codecs/judge": "codec",
    "proxies/dialogues": "proxy",
    "definitions/lint": "schema",
    "definitions/foreign": "schema",
    "definitions/evolution": "schema",
    "schema/text": "schema",
    "captures/audit": "",
}
"""The folders that decide rules, by what the rules apply to; traffic is judged by rules of all."""
SHARED = {"framing", "request-header", "response-header", "results", "tags", "versions"}
"""The groups whose rules are about the bytes of all kinds, and are decided for each of them."""
ELSEWHERE = {
    "brokers/converse.py": {"framing.others-unharmed"},
    "brokers/exchange.py": {"metadata.listed-address-answers"},
    "brokers/exploring/cases.py": {"conversations.as-apache-kafka"},
    "clients/stuck_positions.py": {
        "client-records.compacted-end-passed",
        "client-records.control-passed",
        "client-records.empty-batch-passed",
        "client-records.several-batches-read",
    },
    "codecs/diagnosis/api_keys.py": {"request-header.v1-fields"},
    "codecs/diagnosis/beyond_ascii.py": {"primitives.string-plain-utf8"},
    "codecs/diagnosis/compressed.py": {"records.compression-after-count"},
    "codecs/diagnosis/empty_or_null.py": {
        "compact.empty-is-one",
        "compact.null-is-zero",
        "primitives.empty-array-not-null",
        "primitives.empty-bytes-not-null",
        "primitives.empty-string-not-null",
        "primitives.null-array",
        "primitives.null-bytes",
        "primitives.null-string",
        "tags.section-ends-struct",
    },
    "codecs/diagnosis/line_up.py": {
        "tags.of-other-version-given-refused",
        "versions.absent-field-refused",
    },
    "codecs/diagnosis/refused.py": {"primitives.null-string", "versions.only-fields-of-version"},
    "codecs/diagnosis/shown.py": {"versions.field-types", "versions.only-fields-of-version"},
    "codecs/diagnosis/traits.py": {
        "compact.first-flexible-version",
        "versions.only-fields-of-version",
    },
    "reporting/advertised.py": {"api-versions.advertised-is-served"},
    "reporting/leading_rules.py": {
        "compact.records-length",
        "framing.nothing-after-end",
        "request-header.v1-fields",
        "response-header.v0-fields",
        "tags.ascending",
        "tags.section-layout",
        "versions.field-types",
    },
    "reporting/nulls.py": {"primitives.null-not-written"},
    "reporting/reversed_bytes.py": {"primitives.integers-big-endian"},
    "reporting/of_several_rules.py": {
        "api-versions.advertised-is-served",
        "framing.negative-size-closes",
    },
    "reporting/sorts.py": {
        "api-versions.advertised-is-served",
        "api-versions.any-request-served",
        "framing.huge-size-closes",
        "framing.negative-size-closes",
        "response-header.body-has-request-version",
        "results.one-for-each",
    },
}
"""Ids in the words of a finding, where one rule stands for the cause of several.

A new one needs a reason: what is true of one rule is a field of its table.
"""


def literal_ids(file: Path) -> Iterator[str]:
    """Yield each string of a module that is the id of a rule."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and node.value in catalogue():
            yield str(node.value)


def found() -> dict[str, set[str]]:
    """Return the ids by module, but for mutants."""
    files = (each for each in sorted(PACKAGE.rglob("*.py")) if "mutants" not in each.parts)
    ids = {each.relative_to(PACKAGE).as_posix(): set(literal_ids(each)) for each in files}
    return {module: those for module, those in ids.items() if those}


FOUND = found()


def folder_of(module: str) -> str | None:
    return next((folder for folder in DECIDE if module.startswith(f"{folder}/")), None)


def is_of(rule: Rule, kind: str) -> bool:
    return rule.group in SHARED or any(each.startswith(kind) for each in rule.applies)


def test_an_id_stands_nowhere_else_than_at_what_decides_the_rule() -> None:
    strays = {module: ids for module, ids in FOUND.items() if folder_of(module) is None}
    assert strays == ELSEWHERE


def test_a_room_names_rules_of_its_own_kind_alone() -> None:
    strange = {
        (module, rule)
        for module, ids in FOUND.items()
        for rule in ids
        if (folder := folder_of(module)) and not is_of(catalogue()[rule], DECIDE[folder])
    }
    assert strange == set()


def test_few_modules_name_a_rule() -> None:
    """A rule is mostly decided in one module, and a reader who looks for it finds that one."""
    modules = [rule for ids in FOUND.values() for rule in ids]
    named = set(modules)
    alone = [rule for rule in named if modules.count(rule) == 1]
    assert len(alone) / len(named) > 0.72
    assert max(map(modules.count, named)) <= 8
