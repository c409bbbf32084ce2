"""Dialogues through a proxy, each to see if it keeps a rule: one short generator a question.

A dialogue is registered by its decorator with the rules that it decides, and found because its
module is in this package. It is a broker's dialogue with a second end: a frame that is sent to the
proxy has to arrive at the broker behind it, and the broker's answer has to come back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any

from conformance.brokers.dialogues.talk import api_keys
from conformance.dialogue import Dialogue
from conformance.modules import import_all
from conformance.proxies.dialogues.talk import (
    ANSWERS_PASS,
    CORRELATED,
    REQUESTS_PASS,
    ProxyFacts,
    ProxyTalk,
)
from conformance.reference.proxy.node_ids import names_follower, nodes_in, renumbered
from conformance.reference.proxy.translation import ADDRESSES, NODE_IDS, VERSIONS
from conformance.schema.releases import wire_forms
from conformance.testee_protocol import Value

Making = Callable[..., Dialogue]
Cases = Callable[["ProxyFacts"], Iterator["ProxyCase"]]
LOGINS = frozenset({"SaslHandshake", "SaslAuthenticate"})
ONE_TO_ONE = "proxy-addresses.node-ids-one-to-one"
PLAIN, LISTED = "/plain", "/list-in-each-version"
"""Suffixes of the ids of basic cases: a plain request of one version of an API."""
NEEDS = {ONE_TO_ONE: NODE_IDS}
"""Rules that are checked only if a proxy says that it changes this."""
_registered: list[tuple[str, Cases]] = []
"""The makers of cases with the names of their modules."""
_decided: dict[Making, tuple[tuple[str, ...], str]] = {}
"""The rules that each dialogue decides, and the API that it is about."""


@dataclass(frozen=True, slots=True)
class ProxyCase:
    """One dialogue through one proxy: `begin` makes it anew for a fresh connection.

    `rules` are those that it decides, in the order in which they can break. `basics` are cases that
    have to pass before this one can fail. `rewrites` says that a proxy is expected to change or
    hold back something, so that the dialogue fails without one. `milder` is the dialogue without
    what no cluster has, such as a partition of a number above all others: where that goes through,
    a failure is noted, and no rule is broken.
    """

    id: str
    rules: tuple[str, ...]
    message: str
    version: int
    begin: Callable[[], Dialogue]
    control_case: Callable[[], Dialogue]
    malformed: bool = False
    rewrites: bool = False
    basics: tuple[ProxyCase, ...] = ()
    milder: Callable[[], Dialogue] | None = None


def cases(make: Cases) -> Cases:
    """Register the decorated generator, which makes cases for a proxy with these facts."""
    _registered.append((make.__module__, make))
    return make


def dialogue(
    *rules: str,
    api: str = "Metadata",
    malformed: bool = False,
    changes: str = "",
    unless: str = "",
    versions: bool = False,
    rests_on: Iterable[Making] = (),
) -> Callable[[Making], Making]:
    """Register the decorated generator as a case, or with `versions` one for each API version.

    `changes` is the thing that a proxy has to declare as changed for the case to be made, `unless`
    the one that it must not declare. `rests_on` are dialogues that decide one rule in one case
    each, without which this one says nothing.
    """

    def register(make: Making) -> Making:
        def of(facts: ProxyFacts) -> Iterator[ProxyCase]:
            said_so = {*filter(None, [changes])} <= facts.rewrites
            if not facts.has(api) or not said_so or unless in facts.rewrites:
                return
            decided = tuple(
                each for each in rules if NEEDS.get(each, changes) in {changes, *facts.rewrites}
            )
            low, high = facts.range_of(api)
            message, (lowest, highest) = f"{api}Request", facts.range_of("Metadata")
            for version in range(low if versions else high, high + 1):
                where = f"{message}-v{version}" if versions else message
                yield case_of(
                    f"{where}/{said(make)}",
                    decided,
                    message,
                    version,
                    Held(facts, make, (version,) if versions else ()),
                    malformed=malformed,
                    rewrites=bool(changes),
                    basics=(
                        *basics(facts, "Metadata", lowest),
                        *(basics(facts, "Metadata", highest) if changes else ()),
                        *basics(facts, api, version),
                        *singles(facts, rests_on),
                    ),
                )

        _decided[make] = rules, api
        _registered.append((make.__module__, of))
        return make

    return register


def singles(facts: ProxyFacts, makers: Iterable[Making]) -> tuple[ProxyCase, ...]:
    """Return the cases of registered dialogues that others rest on, each of one case."""
    return tuple(_single(facts, make) for make in makers)


def _single(facts: ProxyFacts, make: Making) -> ProxyCase:
    rules, api = _decided[make]
    version = facts.range_of(api)[1]
    lowest, _ = facts.range_of("Metadata")
    every = (*basics(facts, "Metadata", lowest), *basics(facts, api, version))
    case_id = f"{api}Request/{said(make)}"
    return case_of(case_id, rules, f"{api}Request", version, Held(facts, make), basics=every)


def said(make: Making) -> str:
    """Return the name of a dialogue in the ids of its cases."""
    return make.__name__.strip("_").replace("_", "-")


@dataclass(frozen=True, slots=True)
class Held:
    """A dialogue and its arguments: each call begins it anew."""

    facts: ProxyFacts
    make: Making
    given: tuple[Any, ...] = ()

    def __call__(self) -> Dialogue:
        """Return a fresh dialogue."""
        return self.make(ProxyTalk(self.facts), *self.given)


def case_of(
    name: str,
    rules: tuple[str, ...],
    message: str,
    version: int,
    begin: Held,
    *,
    control_case: Held | None = None,
    **more: Any,
) -> ProxyCase:
    """Return a case, whose control case is a plain request unless another is given."""
    control_case = control_case or Held(begin.facts, well_formed)
    return ProxyCase(name, rules, message, version, begin, control_case, **more)


def basics(facts: ProxyFacts, api: str, version: int) -> tuple[ProxyCase, ...]:
    """Return the cases that a case about an API rests on: plain requests of the version."""
    message, rules = f"{api}Request", (REQUESTS_PASS, ANSWERS_PASS, CORRELATED)
    if api == "ApiVersions" and VERSIONS in facts.rewrites:
        from conformance.proxies.dialogues.versions import LIST_READABLE, list_in_each_version

        begin = Held(facts, list_in_each_version, (version,))
        case_id = f"{message}-v{version}{LISTED}"
        return (case_of(case_id, (LIST_READABLE,), message, version, begin),)
    if api in LOGINS and facts.mechanism:
        return ()
    if api == "SaslAuthenticate":
        return basics(facts, "SaslHandshake", min(facts.range_of("SaslHandshake")[1], 1))
    begin = Held(facts, _plainly, (api, version))
    return (case_of(f"{message}-v{version}{PLAIN}", rules, message, version, begin),)


@cases
def _plain(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Yield first of all a plain request of every version of every API that the proxy lists."""
    for api in sorted(filter(facts.has, api_keys())):
        low, high = facts.range_of(api)
        for version in range(low, high + 1):
            if api != "SaslAuthenticate" and is_settled(api, version):
                yield from (each for each in basics(facts, api, version) if PLAIN in each.id)


@cache
def is_settled(api: str, version: int) -> bool:
    """True if all releases write this version alike: one that was unstable may have changed."""
    return all(len(wire_forms(f"{api}{kind}")[version]) == 1 for kind in ("Request", "Response"))


def is_rewritten(facts: ProxyFacts, message: str, value: Value) -> bool:
    """True if a proxy changes such a message: it names addresses, brokers, or versions."""
    is_answer = message.endswith("Response")
    if NODE_IDS in facts.rewrites and (nodes_in(message, value) or names_follower(value)):
        return True
    if message == "ApiVersionsResponse":
        return VERSIONS in facts.rewrites
    return is_answer and ADDRESSES in facts.rewrites and names_hosts(value)


def names_hosts(value: Any) -> bool:
    """True if an answer names a host, even an empty one."""
    if isinstance(value, list):
        return any(map(names_hosts, value))
    if not isinstance(value, dict):
        return False
    return "host" in value or any(map(names_hosts, value.values()))


def _plainly(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    """Send a request of defaults; its answer is the same, except that it names a real broker."""
    [(node, (host, port)), *_] = talk.facts.brokers.items()
    answer = talk.plain_answer(api, version)
    answer |= {"host": host, "port": port} if "host" in answer else {}
    answer = renumbered(f"{api}Response", answer, lambda _: node)
    yield from talk.passes(api, version, answer=answer)


def well_formed(talk: ProxyTalk, judged_by: str = "") -> Dialogue:
    """Send a request that every proxy forwards, and its answer."""
    yield from talk.passes("Metadata", talk.lowest, judged_by=judged_by)


@cache
def _makers() -> tuple[Cases, ...]:
    import_all(__name__, __path__)
    return tuple(make for _, make in sorted(_registered, key=itemgetter(0)))


def asked_of(facts: ProxyFacts, rules: Iterable[str]) -> Iterator[ProxyCase]:
    """Yield the dialogues that decide some of these rules, if the proxy has what they need."""
    wanted = set(rules)
    for make in _makers():
        yield from (case for case in make(facts) if wanted.intersection(case.rules))


def ends(asked: Iterable[ProxyCase]) -> Iterator[ProxyCase]:
    """Yield the cases of each message's lowest and highest version."""
    found = list(asked)
    versions: defaultdict[str, set[int]] = defaultdict(set)
    for case in found:
        versions[case.message].add(case.version)
    for case in found:
        if case.version in (min(versions[case.message]), max(versions[case.message])):
            yield case
