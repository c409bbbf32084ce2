"""What is played to a client to see whether it keeps a rule: a broker with one thing about it.

A scenario is a class: the reference broker with a method or two overridden, as a mutant is, and a
table of the rules that it decides, each with the judgement on what the client did. It is found by
its module's being in this package. Every scenario has a twin, by default the broker as it is: the
client must do well there before anything that it does here counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, ClassVar, Literal

from conformance.peers.broker import Broker
from conformance.peers.cluster import Topic
from conformance.scenarios.visit import Judgement

Action = Literal["topics", "groups", "create"]
"""What a client is asked to do. topics: list all of them. groups: describe two groups. create: make
a topic."""
ACTIONS: tuple[Action, ...] = ("topics", "groups", "create")
TOPICS = {"events": 1, "orders.v2": 2}
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Scenario(Broker):
    """One thing that a broker may do to its clients, which the docstring tells in one sentence.

    `about` is the request that it is about, `action` what the client is asked to do, `decides` the
    judgement by rule, `twin` the broker that it must do well with first.
    """

    about: ClassVar[str] = "ApiVersionsRequest"
    action: ClassVar[Action] = "topics"
    decides: ClassVar[Mapping[str, Judgement]] = {}
    twin: ClassVar[type[Scenario] | None] = None
    known: ClassVar[list[type[Scenario]]] = []

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        Scenario.known.append(cls)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, partitions in TOPICS.items():
            replicas = [[self.node_id] for _ in range(partitions)]
            self.add_topic(Topic(name, self.new_topic_id(), replicas))

    @classmethod
    def says(cls) -> str:
        """What is played, in one sentence."""
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def case(cls) -> str:
        """The id of the case that it is."""
        return f"{cls.about}/{_WORD.sub('-', cls.__name__).lower()}"


class ServesTopics(Scenario):
    """A broker as it is."""


class ServesGroups(Scenario):
    """A broker as it is, to a client that asks about groups."""

    action = "groups"


class ServesCreation(Scenario):
    """A broker as it is, to a client that creates a topic."""

    action = "create"


WELL: Mapping[Action, type[Scenario]] = {
    each.action: each for each in (ServesTopics, ServesGroups, ServesCreation)
}


def twin_of(scenario: type[Scenario]) -> type[Scenario]:
    """What a client must do well with before this scenario counts."""
    return scenario.twin or WELL[scenario.action]


@cache
def scenarios() -> dict[str, type[Scenario]]:
    """Every scenario that decides something by its name, module by module."""
    for module in sorted(module.name for module in iter_modules(__path__)):
        import_module(f"{__name__}.{module}")
    return {each.__name__: each for each in Scenario.known if each.decides}
