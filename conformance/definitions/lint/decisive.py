"""The rules without which it is not decided how a version's bytes are written."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.definitions.lint.demand import Demand
from conformance.definitions.lint.fields import (
    default_fits,
    names_unique,
    null_default_nullable,
    nullable_kinds,
)
from conformance.definitions.lint.tags import (
    tag_and_versions,
    tag_unique,
    tagged_within_flexible,
    tagged_within_versions,
)
from conformance.schema.model import Message
from conformance.schema.text.problem import Problem

_DECISIVE: tuple[Demand, ...] = (
    names_unique,
    nullable_kinds,
    tag_and_versions,
    tag_unique,
    tagged_within_versions,
    tagged_within_flexible,
    default_fits,
    null_default_nullable,
)


def decisive(message: Message) -> Iterator[Problem]:
    """What is wrong with a definition so that it can't be used."""
    return (problem for check in _DECISIVE for problem in check(message))
