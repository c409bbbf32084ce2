"""Clients that take it for granted that an answer has entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.api_keys import CREATE_TOPICS
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Asking, Wait
from conformance.testee_protocol import Value


class FirstOfNone(ClientMutant, breaks="client-answers.no-entries-survived"):
    """Takes the first entry of an answer without a look whether it has one."""

    def first_entry(self, answer: Value, *arrays: str) -> Value:
        for name in arrays:
            answer = answer[name][0]
        return answer


class CountsDownFromNone(ClientMutant, breaks="client-answers.no-entries-survived"):
    """Counts down from the number of topics in the answer to CreateTopics, to 0."""

    def ask(self, api_key: int, version: int, wanted: Mapping[str, Any]) -> Asking:
        answer = yield from super().ask(api_key, version, wanted)
        left = len(answer["topics"]) if api_key == CREATE_TOPICS else 1
        while (left := left - 1) != 0:
            yield Wait(0.1)
        return answer
