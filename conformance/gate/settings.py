"""Everything that the processes of a run must agree on, as JSON on their command lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

from conformance.data import vector_messages
from conformance.errors import ConformanceError, NothingSelected
from conformance.rules import select
from conformance.rules.selection import Selection
from conformance.testee_protocol import Target

if TYPE_CHECKING:
    from conformance.gate.gate import Gate

ALONE, SETTLED, MORE = "main", "settled", "more"
"""Names of processes that are no workers.

They are the only process, the one that settles the workers' results, and the one that asks more.
"""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The target, the rules and cases to judge it by, and limits; each kind adds its own fields.

    `timeout_s` is in seconds, `memory_mib` in MiB; `parts` is the folder in which the processes
    leave their verdicts, "" if they leave none.
    """

    profile: str = "spec"
    rules: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    cases: tuple[str, ...] = ()
    timeout_s: float = 10.0
    memory_mib: int | None = 2048
    parts: str = ""

    def open(self) -> Target:
        """Start the target, or reach it. Raises TargetError."""
        raise NotImplementedError

    def gate(self, target: Target | None = None, name: str = ALONE) -> Gate[Any]:
        """Return the gate of one process, which opens the target unless one is given."""
        raise NotImplementedError

    def selection(self) -> Selection:
        """Return the selection that these settings name. Raises UnknownName and NothingSelected."""
        chosen = {rule.id: rule for rule in select(self.rules, self.classes)}
        if not chosen:
            raise NothingSelected("no rule is of both that name and that class")
        known = vector_messages()
        for name in self.messages:
            _check_known(name, known, "no vectors of a message")
        for case in self.cases:
            _check_known(message_of(case), known, f"no case {case!r}: no message")
        names = self.messages or set(map(message_of, self.cases))
        return Selection(
            rules=chosen,
            messages=frozenset(names) or None,
            versions=frozenset(self.versions) or None,
            cases=frozenset(self.cases) or None,
        )


class UnknownName(ConformanceError):
    """No message or case has that name."""


def message_of(case: str) -> str:
    """Return the message in a case's id, which a version may follow."""
    return re.split(r"-v\d|/", case)[0]


def _check_known(name: str, known: Sequence[str], what: str) -> None:
    if name not in known:
        near = get_close_matches(name, known, n=3)
        listed = "`kafka-conformance vectors list` lists them"
        hint = f"did you mean {' or '.join(near)}?" if near else listed
        raise UnknownName(f"{what} {name!r}", hint)


def to_json(settings: Settings) -> str:
    """Return the settings as one argument of a command line, with the name of their class."""
    kind = type(settings)
    return msgspec.json.encode([kind.__module__, kind.__name__, settings]).decode()


def from_json(text: str) -> Settings:
    """Return the settings that `to_json` wrote."""
    module, name, values = msgspec.json.decode(text, type=tuple[str, str, msgspec.Raw])
    kind: type[Settings] = getattr(import_module(module), name)
    return msgspec.json.decode(values, type=kind)
