"""The request of a step of the machine, drawn by Hypothesis of the table and of what is known.

Each conversation has a theme, of which most of its requests are: what is about the same things is
asked one after another more often so. The themes are the modules of the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hypothesis import strategies as st

from conformance.brokers.dialogues.talk import api_keys
from conformance.brokers.exploring.asking import Asking, Hand, askings
from conformance.brokers.exploring.asking.beginning import LAST_BY_NAME, first_requests
from conformance.brokers.exploring.conversation import Asked, Value
from conformance.brokers.exploring.identities import Identities
from conformance.brokers.exploring.model import Model
from conformance.reference.codec import ReferenceCodec
from conformance.schema.filling import filled

CONNECTIONS = 3
ANY = ""
"""The theme of a conversation about everything."""
OFTEN = ("records", "producers", "topics", "groups", "configs")
"""The themes that are chosen twice as often as others: what they ask depends on what was asked."""


@dataclass
class Choices:
    """The requests that a target can be asked: the entries by theme, each by its weight."""

    by_theme: Mapping[str, Sequence[Asking]]
    themes: Sequence[str]


class Drawer(Protocol):
    """The machine, as far as requests are made of it."""

    model: Model
    choices: Choices
    theme: str

    @property
    def identities(self) -> Identities:
        """The ids that answers gave."""
        ...

    @property
    def codec(self) -> ReferenceCodec:
        """The codec of requests."""
        ...


def choices_of(model: Model) -> Choices:
    """Return what target and model both serve."""
    by_theme: dict[str, list[Asking]] = {ANY: []}
    for each in askings():
        if versions_of(model, each):
            by_theme[ANY] += [each] * each.weight
            by_theme.setdefault(theme_of(each), []).extend([each] * each.weight)
    themes = [*by_theme, *(theme for theme in OFTEN if theme in by_theme)]
    return Choices(by_theme, themes)


def theme_of(asking: Asking) -> str:
    """Return the theme of an entry: the name of its module."""
    return asking.make.__module__.rpartition(".")[2]


def versions_of(model: Model, asking: Asking) -> list[int]:
    """Return the versions that something can be asked in."""
    low, high = model.versions.get(api_keys()[asking.api], (0, -1))
    return [each for each in range(low, high + 1) if each in asking.versions]


@st.composite
def openings(draw: st.DrawFn) -> tuple[str, list[Asked]]:
    """Return the theme of a conversation, and how it begins."""
    machine: Drawer = draw(st.runner())
    hand = Hand(draw, machine.model, machine.identities, 0)
    theme = hand.pick(*machine.choices.themes)
    asked = []
    for api, value in first_requests(hand):
        low, high = machine.model.versions.get(api_keys()[api], (0, -1))
        version = min(high, LAST_BY_NAME.get(api, high))
        if low <= version:
            asked.append(Asked(api, version, _body(machine, api, version, value)))
    return theme, asked


@st.composite
def requests(draw: st.DrawFn) -> Asked:
    """Return one more request, most often of the theme."""
    machine: Drawer = draw(st.runner())
    hand = Hand(draw, machine.model, machine.identities, 0)
    theme = ANY if hand.rarely(4) else machine.theme
    asking = hand.pick(*machine.choices.by_theme[theme])
    hand = replace(hand, version=hand.pick(*reversed(versions_of(machine.model, asking))))
    connection = hand.pick(0, 0, *range(CONNECTIONS))
    value = _body(machine, asking.api, hand.version, asking.make(hand))
    header = {"clientId": hand.pick(None, "")} if hand.rarely(16) else {}
    return Asked(asking.api, hand.version, value, connection, header)


def _body(machine: Drawer, api: str, version: int, wanted: Value) -> Value:
    layout = machine.codec.form(f"{api}Request", version).layout
    return filled(layout, wanted)
