"""The gate of brokers: dialogues in place of cases, and all else as in the gate of codecs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from conformance.cases.dialogues import Asked, asked_of
from conformance.cases.dialogues.talk import Facts
from conformance.checks.gate import Gate, Settings
from conformance.converse import converse
from conformance.protocol import Hello, Target
from conformance.results.lines import Verdict
from conformance.targets.endpoint import Endpoint


class BrokerGate(Gate):
    """Judges one broker for the items of one process."""

    def groups(self, _hello: Hello, /) -> list[tuple[str, str]]:
        """(message, rule group) for every item of a run against a broker, by message."""
        return sorted({(asked.message, asked.rule.partition(".")[0]) for asked in self._asked})

    @cached_property
    def _asked(self) -> list[Asked]:
        rules = {
            name: rule for name, rule in self.selection.rules.items() if "broker" in rule.applies
        }
        facts = Facts(self._endpoint.advertised, self._endpoint.prefix)
        return [asked for asked in asked_of(facts, rules) if self._is_wanted(asked)]

    def _is_wanted(self, asked: Asked) -> bool:
        chosen = self.selection
        return (
            (chosen.messages is None or asked.message in chosen.messages)
            and (chosen.versions is None or asked.version in chosen.versions)
            and (chosen.cases is None or asked.id in chosen.cases)
        )

    @property
    def _endpoint(self) -> Endpoint:
        assert isinstance(self.target, Endpoint)
        return self.target

    def _run(self, message: str) -> Iterator[Verdict]:
        asked = (each for each in self._asked if each.message == message)
        return converse(asked, self._endpoint.connect, self.rules, self.settings.profile)


def gate_of(settings: Settings, target: Target | None = None, part: str = "main") -> Gate:
    """The gate for what these settings name."""
    return (BrokerGate if settings.endpoint else Gate)(settings, target, part)
