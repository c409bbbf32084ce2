"""The highest version that both sides have (KIP-35): brokers that serve a part of all versions.

A client's versions are not seen from outside, only its requests. A broker that serves everything is
asked in the version that the client likes best, so one with the lower half of the versions, or the
first two, is asked in the same, or in the highest of them if that is less. A client that asks more
of a broker with the upper half than of one that serves everything knows more than it asked there.

Some clients never use some versions that they could, on purpose, or because of their settings; they
do so with both brokers, and this is not held against them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.api_keys import API_VERSIONS
from conformance.clients.scenarios.actions import BESIDE, PLAYED, Action
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Judgement, Visit, require
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.releases import NAMES, Ranges

_ABOUT: Mapping[Action, str] = {
    "topics": "Metadata",
    "groups": "FindCoordinator",
    "create": "CreateTopics",
    "produce": "Produce",
    "consume": "Fetch",
    "join": "JoinGroup",
}


def asked_of_both(visit: Visit) -> dict[str, tuple[list[int], list[int]]]:
    """Return the versions asked with the control case and here, by API without ApiVersions."""
    assert visit.control_case is not None
    apis = {each.api for each in visit.sent} & {each.api for each in visit.control_case.sent}
    apis = apis & set(NAMES.values()) - {"ApiVersions"}
    return {api: (visit.control_case.versions(api), visit.versions(api)) for api in sorted(apis)}


def not_below(served: Ranges) -> Judgement:
    """Each API is asked as with the control case, or in the highest version served where that is
    less."""
    highest = {NAMES[key]: high for key, (_, high) in served.items()}

    def judge(visit: Visit) -> None:
        asked = asked_of_both(visit)
        if not any(max(usual) > highest[api] for api, (usual, _) in asked.items()):
            raise NotApplicable("it asked nothing that is served in fewer versions here")
        for api, (usual, here) in asked.items():
            expected = min(*usual, highest[api])
            if min(here) < expected:
                what = f"{api} v{min(here)} was asked of a broker that has v{highest[api]}"
                lowest = next(each for each in visit.of(api) if each.version == min(here))
                raise Broken(what, f"v{expected}", lowest.frame)

    return judge


def no_higher_than_usual(visit: Visit) -> None:
    """Judge that no API is asked in a higher version than with the control case."""
    asked = asked_of_both(visit)
    require(asked, "it asked nothing that it asks of a broker with all versions")
    for api, (usual, here) in asked.items():
        if max(here) > max(usual):
            what = (
                f"{api} v{max(usual)} was asked of a broker that has v{max(here)}, which it knows"
            )
            raise Broken(what, f"v{max(here)}", f"v{max(usual)}")


def lower(low: int, high: int) -> tuple[int, int]:
    """The lower half of a range."""
    return low, (low + high) // 2


def first(low: int, high: int) -> tuple[int, int]:
    """The first two versions of it."""
    return low, min(low + 1, high)


def upper(low: int, high: int) -> tuple[int, int]:
    """The upper half of it."""
    return (low + high + 1) // 2, high


_PARTS: Mapping[str, tuple[Callable[[int, int], tuple[int, int]], str]] = {
    "LowerHalf": (lower, "the lower half of the versions"),
    "FirstTwo": (first, "the first two versions"),
    "UpperHalf": (upper, "the upper half of the versions"),
}


def part_of(ranges: Ranges, part: Callable[[int, int], tuple[int, int]]) -> Ranges:
    """A part of the versions of each API but ApiVersions."""
    parts = {key: part(low, high) for key, (low, high) in ranges.items()}
    return {**parts, API_VERSIONS: ranges[API_VERSIONS]}


for _name, (_part, _says) in _PARTS.items():
    for _action, _api in _ABOUT.items():
        _served = part_of({**PLAYED, **BESIDE.get(f"{_api}Request", {})}, _part)
        _judgement = no_higher_than_usual if _part is upper else not_below(_served)
        Scenario.variant(
            f"{_name}Of{_api}",
            f"Serves {_says} of each API, to a client that is asked for {_action}.",
            about=f"{_api}Request",
            action=_action,
            served=_served,
            answers="ApiVersions",
            decides={"client-versions.highest-of-both": _judgement},
        )
