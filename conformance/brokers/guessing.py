"""The search for requests that a broker answers, if its answer to the first request is wrong.

The plain requests that are asked of each advertised version anyway are tried in every version that
the definitions have: a version with a whole answer can be judged. If the run names messages and
versions, those are taken for served instead. Nothing that is found here is a verdict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from conformance.api_keys import API_VERSIONS
from conformance.brokers.connection.endpoint import Endpoint
from conformance.brokers.dialogues import DialogueCase, asked_of
from conformance.brokers.dialogues.frames.headers import software
from conformance.brokers.dialogues.talk import FIRST_REQUEST, SERVED, Facts, Talk, api_keys
from conformance.brokers.exchange import Exchange, exchange
from conformance.dialogue import Dialogue
from conformance.rules import catalogue
from conformance.targets.errors import TargetError

AT_ONCE = 16
"""The number of APIs tried at a time, so that a silent broker costs few time limits."""
TRIED_FIRST = ("ApiVersions", "Metadata")
"""The APIs that every broker serves. One that serves neither is not asked for more."""

Ranges = dict[int, tuple[int, int]]


def find_versions(
    endpoint: Endpoint, messages: Collection[str] = (), versions: Collection[int] = ()
) -> None:
    """Fill in what an endpoint serves and did not say, and a request that it answers.

    `messages` and `versions` are those that the run names, all if there are none.
    """
    first = _answered(endpoint, TRIED_FIRST)
    endpoint.served = _one_of(first)
    listed = dict(endpoint.greeting.advertised) or _listed_by(endpoint, first["ApiVersions"])
    if not listed:
        wanted = [api for api in api_keys() if f"{api}Request" in messages or not messages]
        others = [api for api in wanted if api not in TRIED_FIRST]
        found = first | (_answered(endpoint, others) if endpoint.served else {})
        listed = {api_keys()[api]: (each[0], each[-1]) for api, each in found.items() if each}
        if messages and versions:
            named = {api_keys()[api]: _known(api, versions) for api in wanted}
            listed |= {key: (each[0], each[-1]) for key, each in named.items() if each}
    endpoint.advertised = {**endpoint.advertised, **listed}
    endpoint.advertised.setdefault(API_VERSIONS, (FIRST_REQUEST[1], FIRST_REQUEST[1]))


def _one_of(answered: Mapping[str, Sequence[int]]) -> tuple[str, int] | None:
    """A request to be used where any will do: the oldest ApiVersions, else the newest Metadata."""
    api_versions, metadata = (answered[api] for api in TRIED_FIRST)
    if api_versions:
        return "ApiVersions", api_versions[0]
    return ("Metadata", metadata[-1]) if metadata else None


def _answered(endpoint: Endpoint, apis: Collection[str]) -> dict[str, list[int]]:
    """The versions of each API that have a whole answer, ascending and without a gap."""
    every = {api_keys()[api]: (0, 2**15 - 1) for api in api_keys()}
    facts = Facts(every, endpoint.prefix, authenticates=endpoint.authenticates)
    cases: defaultdict[str, list[DialogueCase]] = defaultdict(list)
    for case in asked_of(facts, {SERVED: catalogue()[SERVED]}):
        if case.versioned:
            cases[case.message.removesuffix("Request")].append(case)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = pool.map(lambda api: _answered_of(endpoint, cases[api]), apis)
        return dict(zip(apis, found, strict=True))


def _answered_of(endpoint: Endpoint, cases: Sequence[DialogueCase]) -> list[int]:
    """The newest versions of one API that have a whole answer. Silence ends the search."""
    found: list[int] = []
    for case in sorted(cases, key=lambda each: -each.version):
        held = _tried(endpoint, case.begin())
        if held is not None and held.broken is None and not held.absent:
            found.append(case.version)
        elif found or held is None or (held.last is not None and held.last.kind == "silent"):
            break
    return sorted(found)


def _listed_by(endpoint: Endpoint, versions: Sequence[int]) -> Ranges:
    """Return the list of ApiVersions in the newest of these versions."""
    found: Ranges = {}

    def listing(talk: Talk, version: int) -> Dialogue:
        reply = yield from talk.ask("ApiVersions", version, software(version))
        for each in reply.value["apiKeys"]:
            found[each["apiKey"]] = each["minVersion"], each["maxVersion"]

    if versions:
        _tried(endpoint, listing(Talk(Facts({}, endpoint.prefix)), versions[-1]))
    return found


def _tried(endpoint: Endpoint, dialogue: Dialogue) -> Exchange | None:
    """Return the exchange of a dialogue, None if there was no connection."""
    try:
        return exchange(dialogue, endpoint)
    except TargetError:
        return None


def _known(api: str, versions: Collection[int]) -> list[int]:
    """Return those of these versions that the definitions have, ascending."""
    return [each for each in Facts({}).codec.versions(f"{api}Request") if each in versions]
