"""A handler that checks nothing of what it is asked: many rules broken, and one cause.

Each rule about what an API refuses is broken by itself where one check is missing. Where none of
them is kept, and all that should be refused is taken, the handler has no checks at all: to say so
once tells more than as many findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Protocol

LEAST = 2
"""One rule that is broken is told by itself."""

REFUSALS: Mapping[str, tuple[str, ...]] = {
    "CreateTopics": (
        "topics.assignments-exclude-counts",
        "topics.bad-assignment-refused",
        "topics.bad-config-refused",
        "topics.cluster-metadata-refused",
        "topics.duplicate-to-create-refused",
        "topics.existing-name-refused",
        "topics.factor-above-brokers-refused",
        "topics.impossible-factor-refused",
        "topics.names-limited",
        "topics.no-partitions-refused",
        "topics.null-config-refused",
    ),
    "DeleteTopics": (
        "topics.duplicate-to-delete-refused",
        "topics.name-or-id",
        "topics.unknown-id-to-delete",
        "topics.unknown-name-to-delete",
    ),
    "CreatePartitions": (
        "partitions.bad-assignment-refused",
        "partitions.duplicate-refused",
        "partitions.never-fewer",
    ),
    "AlterConfigs": (
        "configs.bad-config-refused",
        "configs.duplicate-key-refused",
        "configs.null-refused",
        "configs.own-broker-alone",
        "configs.unknown-topic-refused",
        "configs.unknown-type-refused",
    ),
    "IncrementalAlterConfigs": (
        "configs.bad-config-refused",
        "configs.duplicate-key-refused",
        "configs.duplicate-resource-refused",
        "configs.lists-alone-grow",
        "configs.null-refused",
        "configs.own-broker-alone",
        "configs.unknown-operation-refused",
        "configs.unknown-topic-refused",
        "configs.unknown-type-refused",
    ),
}
"""The rules about what each of the APIs for administrators refuses."""

_GOT = re.compile(r".*\bgot (.*)", re.DOTALL)
_ERROR = re.compile(r"[\[{]-?[1-9]\d*[\]}]")


class What(Protocol):
    """What came of a case, as far as it matters here."""

    @property
    def verdict(self) -> str:
        """How it was judged."""
        ...

    @property
    def said(self) -> str:
        """What is said of it."""
        ...

    @property
    def is_broken(self) -> bool:
        """True if it broke the rule."""
        ...


def unchecked(seen: Mapping[str, Mapping[str, What]]) -> dict[str, str]:
    """Return what is said of each rule that a handler without any check breaks.

    `seen` is what came of the cases of a broker, by rule and case.
    """
    found: dict[str, list[str]] = {}
    for api, rules in REFUSALS.items():
        judged = {rule: list(_judged(seen.get(rule, {}), api)) for rule in rules}
        broken = [rule for rule, cases in judged.items() if cases]
        if len(broken) >= LEAST and all(_takes(each) for rule in broken for each in judged[rule]):
            for rule in broken:
                found.setdefault(rule, []).append(api)
    apis = _families(found)
    return {rule: f"a broker that checks nothing of what {apis[rule]} asks" for rule in found}


def _judged(cases: Mapping[str, What], api: str) -> Iterator[What]:
    """What came of the cases of one API that could be judged."""
    for case, what in cases.items():
        if case.startswith(f"{api}Request") and (what.is_broken or what.verdict == "pass"):
            yield what


def _takes(what: What) -> bool:
    """True if a case was taken that had to be refused: it has an answer, and no error in that."""
    got = _GOT.fullmatch(what.said)
    return what.is_broken and got is not None and not _ERROR.search(got[1])


def _families(found: Mapping[str, list[str]]) -> dict[str, str]:
    """The APIs of each rule, with those that break some of the same rules."""
    whole: dict[str, str] = {}
    for rule, apis in found.items():
        near = {each for others in found.values() if {*others} & {*apis} for each in others}
        whole[rule] = " and ".join(sorted(near))
    return whole
