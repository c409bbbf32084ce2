"""Judgements that several scenarios share, and judgements made of others."""

from __future__ import annotations

from conformance.clients.scenarios.visit import (
    Judgement,
    Sent,
    Visit,
    describe,
    judgement,
    require,
    succeeds,
)
from conformance.dialogue import Broken, NotApplicable

BATCHES_SINCE = 4
"""The first version of FindCoordinator that has many keys."""
CONTROLLER_NAMED_SINCE = 1
"""The first version of Metadata that names the controller."""
MOST_MIB = 256
"""The most memory, in MiB, that a client may take above its usual need."""


@judgement
def asks_no_more_than(visit: Visit, number: int) -> None:
    """Judge that at most this many requests come, in all."""
    if len(visit.sent) > number or len(visit.opened) > number:
        what = f"{len(visit.sent)} requests on {len(visit.opened)} connections"
        too_many = visit.sent[number].frame if len(visit.sent) > number else ""
        raise Broken(what, f"at most {number}", too_many)


@judgement
def asks_at_most(visit: Visit, number: int, api: str) -> None:
    """Judge that at most this many requests of one API come."""
    asked = visit.of(api)
    if len(asked) > number:
        what = f"{api} was asked {len(asked)} times"
        raise Broken(what, f"at most {number}", asked[number].frame)


@judgement
def never_above(visit: Visit, api: str, version: int, node: int | None = None) -> None:
    """No request of an API, to one node or to any, has a version above this.

    Only of connections on which it was asked what is served.
    """
    informed = [each for each in visit.of(api) if visit.is_informed(each)]
    asked = [each for each in informed if node in (None, each.node) and _is_about(each)]
    above = [each for each in asked if each.version > version]
    if above:
        what = f"{api} v{above[0].version} was sent, and v{version} is the highest served"
        raise Broken(what, f"at most {version}", above[0].frame)


def _is_about(sent: Sent) -> bool:
    """True if a request is about anything: a Fetch that ends a session is about no topic."""
    return sent.api != "Fetch" or sent.value is None or bool(sent.value["topics"])


@judgement
def asks_broker(visit: Visit, api: str, node: int) -> None:
    """Judge that this broker is asked for what it alone can do, whether or not others are asked."""
    asked = visit.of(api)
    if asked and node not in [each.node for each in asked]:
        what = f"{api} v{asked[0].version} asks broker {asked[0].node} alone"
        raise Broken(what, f"broker {node}, which it is about", asked[0].frame)
    succeeds(visit)


@judgement
def never_asks(visit: Visit, api: str) -> None:
    """Judge that no request of this API follows ApiVersions on a connection."""
    for each in filter(visit.is_informed, visit.of(api)):
        raise Broken(f"{api} v{each.version} was sent", "nothing", each.frame)


@judgement
def where_asked(
    visit: Visit,
    api: str,
    judgement: Judgement,
    versions: range = range(100),
    node: int | None = None,
) -> None:
    """A judgement that counts only where the client asked this, in one of these versions."""
    if not any(_is_one(each, versions, node) for each in visit.of(api)):
        raise NotApplicable(f"it did not ask {api} where that was played")
    judgement(visit)


def unless_older(api: str, since: int, judgement: Judgement) -> Judgement:
    """A judgement that does not count where the client asks this in older versions alone."""

    def judge(visit: Visit) -> None:
        asked = [
            *visit.versions(api),
            *(visit.control_case.versions(api) if visit.control_case else ()),
        ]
        if asked and max(asked) < since:
            raise NotApplicable(f"it asks {api} in versions below {since} alone")
        judgement(visit)

    return judge


def reads(api: str, versions: range) -> Judgement:
    """The client goes on by the answer to this, in one of these versions: it gets what it wanted.

    Of who looks after a group it is enough that the group is asked for there.
    """

    def judge(visit: Visit) -> None:
        if api != "FindCoordinator" or not visit.of("DescribeGroups"):
            succeeds(visit)

    return where_asked(api, judge, versions)


@judgement
def where_usual(visit: Visit, api: str, judgement: Judgement) -> None:
    """A judgement that counts only where the client asks this of a broker that is as it is."""
    if not visit.of(api) and not (visit.control_case and visit.control_case.of(api)):
        raise NotApplicable(f"it does not ask {api}")
    judgement(visit)


def keys_fit(visit: Visit) -> None:
    """Each FindCoordinator has keys, where its version has them, and no empty one."""
    asked = [each for each in visit.of("FindCoordinator") if each.value and not each.wrong]
    require(asked, "it did not ask FindCoordinator")
    for each in asked:
        assert each.value is not None
        batch = each.version >= BATCHES_SINCE
        keys = each.value["coordinatorKeys"] if batch else [each.value["key"]]
        if not keys or not all(keys):
            what = f"FindCoordinator v{each.version} has the keys {keys}"
            raise Broken(what, "the names of groups", each.frame)


def _is_one(sent: Sent, versions: range, node: int | None) -> bool:
    return sent.version in versions and node in (None, sent.node)


def all_of(*judgements: Judgement) -> Judgement:
    """Each of them holds."""

    def judge(visit: Visit) -> None:
        for each in judgements:
            each(visit)

    return judge


def bears(visit: Visit) -> None:
    """Judge that the client takes about as much memory as with a plain broker."""
    usual = visit.control_case.ended.peak_mib if visit.control_case else 0.0
    if visit.ended.peak_mib > usual + MOST_MIB:
        what = f"it took {visit.ended.peak_mib:.0f} MiB, and {usual:.0f} MiB where nothing is wrong"
        raise Broken(what, f"at most {MOST_MIB} MiB more", f"{visit.ended.peak_mib:.0f} MiB")


def gets_nothing(visit: Visit) -> None:
    """Judge that the client does not say `ok`."""
    if visit.ended.outcome == "ok":
        raise Broken(f"the client {describe(visit.ended)}", "an error, or nothing", "ok")


TOLD = "told"
"""The word after `ok` of a driver whose application received errors on the way."""


def nothing_told(visit: Visit) -> None:
    """Judge that the application does not receive an error that passed."""
    if visit.ended.outcome != "ok" or not visit.ended.text:
        raise NotApplicable("it did not say what it was told on the way")
    first, *errors = visit.ended.text.split()
    if first == TOLD:
        raise Broken(f"the application was told {' '.join(errors)}", "quiet", visit.ended.text)


NOT_TOLD = {"client-coordinators.passing-not-told": nothing_told}
