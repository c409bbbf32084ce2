"""Rules about several definitions: the request and the response of an API."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.schema.model import Message
from conformance.schema.text.problem import Problem


@dataclass(frozen=True)
class ReleaseFault:
    """A fault that a rule found in one of several definitions."""

    message: Message
    key: str
    reason: str


ReleaseFinder = Callable[[Sequence[Message]], Iterator[ReleaseFault]]


@dataclass(frozen=True)
class ReleaseDemand:
    """A rule about definitions that belong together, and its function."""

    rule: str
    find: ReleaseFinder

    def __call__(self, messages: Sequence[Message]) -> Iterator[tuple[Message, Problem]]:
        """Yield the faults by this rule, each with its message."""
        for fault in self.find(messages):
            yield fault.message, Problem(self.rule, fault.key, fault.reason, (fault.key,))


def _demand(rule: str) -> Callable[[ReleaseFinder], ReleaseDemand]:
    return lambda find: ReleaseDemand(rule, find)


@_demand("definitions.same-versions")
def same_versions(messages: Sequence[Message]) -> Iterator[ReleaseFault]:
    for request, response in _pairs(messages):
        if request.valid != response.valid:
            reason = f"{response.valid}, and {request.name} has {request.valid}"
            yield ReleaseFault(response, "validVersions", reason)


@_demand("definitions.request-and-response")
def request_and_response(messages: Sequence[Message]) -> Iterator[ReleaseFault]:
    requests, responses = _by_key(messages, "request"), _by_key(messages, "response")
    for here, there, missing in (
        (requests, responses, "response"),
        (responses, requests, "request"),
    ):
        for key in sorted(here.keys() - there.keys()) if there else ():
            yield ReleaseFault(here[key][0], "apiKey", f"no {missing} has api key {key}")


@_demand("definitions.api-key-unique")
def api_key_unique(messages: Sequence[Message]) -> Iterator[ReleaseFault]:
    for kind in ("request", "response"):
        for key, holders in _by_key(messages, kind).items():
            for message in holders[1:]:
                reason = f"{key} is that of {holders[0].name}"
                yield ReleaseFault(message, "apiKey", reason)


@_demand("definitions.message-names-unique")
def message_names_unique(messages: Sequence[Message]) -> Iterator[ReleaseFault]:
    seen: set[str] = set()
    for message in messages:
        if message.name in seen:
            yield ReleaseFault(message, "name", f"{message.name} is another file's as well")
        seen.add(message.name)


def counterpart(message: Message) -> str:
    """Return the name of the response of a request, or of the request of a response."""
    mine, other = sorted(("Request", "Response"), key=message.name.endswith, reverse=True)
    return message.name.removesuffix(mine) + other


def _by_key(messages: Sequence[Message], kind: str) -> Mapping[int, list[Message]]:
    found: dict[int, list[Message]] = defaultdict(list)
    for message in messages:
        if message.type == kind and message.api_key is not None:
            found[message.api_key].append(message)
    return found


def _pairs(messages: Sequence[Message]) -> Iterator[tuple[Message, Message]]:
    responses = _by_key(messages, "response")
    for key, requests in _by_key(messages, "request").items():
        if key in responses:
            yield requests[0], responses[key][0]


RULES = (
    same_versions,
    request_and_response,
    api_key_unique,
    message_names_unique,
)
