"""ApiVersions refused, or not answered at all (KIP-511): how a client finds its way from there.

A broker that refuses is played with a full list, with its own range in the list, and with an empty
list: a client that fails with one of them did well with the one before.
"""

from __future__ import annotations

from itertools import dropwhile
from typing import Any, ClassVar

from conformance import error_codes
from conformance.api_keys import API_VERSIONS, METADATA
from conformance.clients.scenarios.judging import all_of, asks_no_more_than, where_asked
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import (
    Judgement,
    Sent,
    Visit,
    describe,
    fails,
    judgement,
    require,
    succeeds,
    survives,
)
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup

SOFTWARE_SINCE = 3
MOST_ATTEMPTS = 100
"""More requests than this in one visit are a loop, whatever back-off there is between them."""
MOST_SHOWN = 8
MOST_A_SECOND = 30
"""More connections than this in one second are tried without a back-off."""


def _refused(visit: Visit, highest: int) -> list[Sent]:
    """The ApiVersions above the highest version served. NotApplicable where there are none."""
    refused = [each for each in visit.of("ApiVersions") if each.version > highest]
    if not refused:
        raise NotApplicable(f"it asks no ApiVersions above {highest}")
    return refused


@judgement
def understands_refusal(visit: Visit, highest: int) -> None:
    """The client asks something else after a refusal, whatever it is."""
    refused = _refused(visit, highest)
    later = visit.sent[visit.sent.index(refused[0]) :]
    if all(each.api == "ApiVersions" and each.version > highest for each in later):
        shown = [each.version for each in visit.of("ApiVersions")][:MOST_SHOWN]
        what = f"nothing was asked but ApiVersions v{', v'.join(map(str, shown))}"
        raise Broken(what, "another request", describe(visit.ended))


@judgement
def asks_versions_again(visit: Visit, highest: int) -> None:
    """Judge that the next request on a connection after a refusal is ApiVersions, if any."""
    refused = _refused(visit, highest)
    for each in refused:
        later = visit.sent[visit.sent.index(each) + 1 :]
        here = next((one for one in later if one.connection == each.connection), None)
        if here is not None and here.api != "ApiVersions":
            what = f"{here.api} v{here.version} came next"
            raise Broken(what, "ApiVersions", here.frame)
    if not any(_next(visit, each) for each in refused):
        raise Broken("ApiVersions was not asked again", "ApiVersions", describe(visit.ended))


@judgement
def begins_again_with(visit: Visit, versions: range, highest: int) -> None:
    """The ApiVersions that follows a refused one has one of these versions.

    It follows on the same connection; on the next one where a client leaves those that refuse.
    """
    refused = _refused(visit, highest)
    after = [following for each in refused if (following := _next(visit, each)) is not None]
    if not after:
        raise Broken("ApiVersions was not asked again", _said(versions), describe(visit.ended))
    for following in after:
        if following.version not in versions:
            what = f"after a refused ApiVersions came v{following.version}"
            raise Broken(what, _said(versions), following.frame)


@judgement
def comes_to(visit: Visit, versions: range, highest: int) -> None:
    """Return the judgement that one of these versions of ApiVersions is asked after a refusal."""
    asked = visit.of("ApiVersions")
    later = [each.version for each in asked[asked.index(_refused(visit, highest)[0]) + 1 :]]
    if not later:
        raise Broken("ApiVersions was not asked again", _said(versions), describe(visit.ended))
    if not set(later) & set(versions):
        shown = ", v".join(map(str, later[:MOST_SHOWN]))
        raise Broken(f"after a refused ApiVersions came v{shown}", _said(versions), f"v{shown}")


def _said(versions: range) -> str:
    low, high = versions[0], versions[-1]
    return f"v{low}" if low == high else f"v{low} to v{high}"


def _next(visit: Visit, refused: Sent) -> Sent | None:
    """The ApiVersions that follows a refused one."""
    later = visit.of("ApiVersions")
    later = later[later.index(refused) + 1 :]
    here = [each for each in later if each.connection == refused.connection]
    opened = [each for each in later if visit.opened[each.connection] > refused.at_s]
    return next(iter(here or opened), None)


def ends_connected(visit: Visit) -> None:
    """Judge that the client succeeded, if its outcome is known."""
    if visit.ended.outcome != "untold":
        succeeds(visit)


def reads_as_asked(version: int) -> Judgement:
    """The client goes on by the answer to an ApiVersions of this version, which it asked."""
    return where_asked("ApiVersions", succeeds, range(version, version + 1))


def backs_off(visit: Visit) -> None:
    """Judge that no second has too many new connections."""
    for first, at_s in enumerate(visit.opened):
        within = [each for each in visit.opened[first:] if each < at_s + 1]
        if len(within) > MOST_A_SECOND:
            what = f"{len(within)} connections in one second"
            raise Broken(what, f"at most {MOST_A_SECOND}", f"{len(within)}")


def fails_where_refused(visit: Visit) -> None:
    """A client that asked in a version that is not served said that it could not go on."""
    _refused(visit, HintAboveAll.highest)
    require(visit.ended.outcome not in ("crashed", "hung"), "it did not come to an end by itself")
    fails(visit)


def leaves_the_connection(visit: Visit) -> None:
    """Judge that no request follows on a connection where ApiVersions was an invalid request."""
    refused: set[int] = set()
    for each in visit.sent:
        if each.connection in refused:
            what = f"{each.api} v{each.version} came on the connection of the invalid request"
            raise Broken(what, "nothing", each.frame)
        if each.api == "ApiVersions" and each.is_served and each.version >= SOFTWARE_SINCE:
            refused.add(each.connection)


@judgement
def not_taken_from(visit: Visit, version: int, highest: int) -> None:
    """The client comes to an end, and does not begin again with this version of another API."""
    survives(visit)
    for each in _refused(visit, highest):
        following = _next(visit, each)
        if following is not None and following.version == version:
            what = f"after a refused ApiVersions came v{version}, which is another API's"
            raise Broken(what, "v0, or no other", following.frame)


class _Serves(Scenario):
    """Serves ApiVersions up to a version, and refuses those above."""

    lowest: ClassVar[int] = 0
    highest: ClassVar[int] = 2

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.versions = {**self.versions, API_VERSIONS: (self.lowest, self.highest)}

    def versions_to_retry(self) -> list[Value]:
        return [self.advertised_range(API_VERSIONS)]


class _ListsAll(_Serves):
    """Refuses with the full list of versions.

    Any client that reads the refusal goes on, also one that takes the list for that of all.
    """

    def versions_to_retry(self) -> list[Value]:
        return self.advertised(0)


class _HintsTo(_Serves):
    """Refuses with the own range, as Apache Kafka does from 2.4 on."""


class _NoHint(_Serves):
    """Refuses with an empty list, as Apache Kafka did before 2.4."""

    def versions_to_retry(self) -> list[Value]:
        return []


MIDDLE = 2
_SERVED = (0, 1, MIDDLE, 3, 4)
_KNOWN: dict[tuple[type[_Serves], int], type[Scenario]] = {}


def _refusing(base: type[_Serves], name: str, highest: int, says: str, **more: Any) -> None:
    """Define a broker that serves ApiVersions up to a version, and refuses others."""
    _KNOWN[base, highest] = base.variant(
        name,
        f"Serves ApiVersions up to version {highest}, and refuses others with {says}.",
        highest=highest,
        **more,
    )


for _high in _SERVED:
    _refusing(
        _ListsAll,
        f"ListsAllTo{_high}",
        _high,
        "the list of all APIs",
        holds=staticmethod(understands_refusal(_high)),
        decides={"client-fallback.refusal-is-v0": understands_refusal(_high)},
    )
for _high in _SERVED:
    _refusing(
        _HintsTo,
        "HintsTo" if _high == MIDDLE else f"HintsTo{_high}",
        _high,
        "this range",
        control_case=_KNOWN[_ListsAll, _high],
        decides={
            "client-fallback.refusal-is-no-list": asks_versions_again(_high),
            "client-fallback.answer-read-as-asked": reads_as_asked(_high),
            "client-fallback.hint-is-followed": all_of(
                comes_to(range(_high + 1), _high), ends_connected
            ),
            "client-fallback.highest-of-hint": begins_again_with(range(_high, _high + 1), _high),
        },
    )
for _high in _SERVED:
    _refusing(
        _NoHint,
        f"ServesUpTo{_high}",
        _high,
        "an empty list",
        control_case=_KNOWN[_HintsTo, _high],
        decides={
            "client-fallback.answer-read-as-asked": reads_as_asked(0),
            "client-fallback.no-hint-means-v0": all_of(
                comes_to(range(_high + 1), _high), ends_connected
            ),
            "client-fallback.v0-at-once-without-a-hint": begins_again_with(range(1), _high),
        },
    )
HintsTo = _KNOWN[_HintsTo, MIDDLE]


class HintsFrom1To2(_HintsTo):
    """Serves ApiVersions in versions 1 and 2, and refuses others with this range."""

    lowest = 1
    control_case = HintsTo
    decides: ClassVar = {
        "client-fallback.refusal-is-no-list": asks_versions_again(2),
        "client-fallback.hint-is-followed": all_of(comes_to(range(1, 3), 2), ends_connected),
    }


class HintWithoutOwnKey(_Serves):
    """Refuses with a list that has Metadata in it, and not ApiVersions."""

    control_case = _KNOWN[_NoHint, 2]
    decides: ClassVar = {"client-fallback.hint-of-others-not-taken": not_taken_from(1, 2)}

    def versions_to_retry(self) -> list[Value]:
        return [{"apiKey": METADATA, "minVersion": 1, "maxVersion": 1}]


class HintAboveAll(_HintsTo):
    """Refuses every ApiVersions above 0, and hints at versions that nobody has yet."""

    decides: ClassVar = {
        "client-fallback.hopeless-hint-ends": asks_no_more_than(MOST_ATTEMPTS),
        "client-fallback.nothing-in-common-fails": fails_where_refused,
    }

    def versions_to_retry(self) -> list[Value]:
        """Return a range that no client of today can ask for."""
        return [{"apiKey": API_VERSIONS, "minVersion": 100, "maxVersion": 200}]


class _Refuses(Scenario):
    """Refuses every ApiVersions, whatever its version."""

    hint: ClassVar[tuple[int, int]] = (0, 200)

    class Sessions(Session):
        """Serves none of them."""

        def is_supported(self, api_key: int, version: int) -> bool:
            return api_key != API_VERSIONS and super().is_supported(api_key, version)

    def versions_to_retry(self) -> list[Value]:
        low, high = self.hint
        return [{"apiKey": API_VERSIONS, "minVersion": low, "maxVersion": high}]


class HintNeverFalls(_Refuses):
    """Refuses every ApiVersions, and hints at what it has just refused."""

    decides: ClassVar = {"client-fallback.hopeless-hint-ends": asks_no_more_than(MOST_ATTEMPTS)}


class RefusesAllWithoutAHint(_Refuses):
    """Refuses every ApiVersions, version 0 as well, with an empty list."""

    decides: ClassVar = {"client-fallback.hopeless-hint-ends": asks_no_more_than(MOST_ATTEMPTS)}

    def versions_to_retry(self) -> list[Value]:
        return []


class InvalidRequest(Scenario):
    """Answers every ApiVersions with INVALID_REQUEST, in the version asked."""

    decides: ClassVar = {
        "client-fallback.invalid-request-closes": leaves_the_connection,
        "client-fallback.invalid-request-ends": where_asked(
            "ApiVersions", fails, range(SOFTWARE_SINCE, 100)
        ),
        "client-fallback.hopeless-hint-ends": asks_no_more_than(MOST_ATTEMPTS),
    }

    def api_versions_error(self, request: Request) -> int:
        return error_codes.INVALID_REQUEST


class InvalidRequestWithAList(InvalidRequest):
    """Answers every ApiVersions with INVALID_REQUEST, and with the list of all APIs."""

    def api_versions(self, request: Request) -> Value:
        return {**super().api_versions(request), "apiKeys": self.advertised(request.version)}


def asks_v0_first(visit: Visit) -> None:
    """Behind the first ApiVersions nothing else is asked before it was asked in version 0."""
    greeted = dropwhile(lambda each: each.api != "ApiVersions", visit.sent)
    for each in greeted:
        if each.api == "ApiVersions":
            if each.version < SOFTWARE_SINCE:
                return
            continue
        what = f"{each.api} v{each.version} was asked, and ApiVersions v0 never"
        raise Broken(what, "ApiVersions v0", each.frame)


class ClosesOnV3(Scenario):
    """Closes the connection on ApiVersions from version 3 on, as old proxies do."""

    decides: ClassVar = {
        "client-fallback.closed-is-bounded": asks_no_more_than(MOST_ATTEMPTS),
        "client-fallback.closed-backs-off": backs_off,
        "client-fallback.v0-before-a-guess": asks_v0_first,
    }

    def api_versions(self, request: Request) -> Value:
        if request.version >= SOFTWARE_SINCE:
            raise Hangup
        return super().api_versions(request)


class ClosesOnAll(ClosesOnV3):
    """Closes the connection on every ApiVersions."""

    decides: ClassVar = {
        "client-fallback.closed-is-bounded": asks_no_more_than(MOST_ATTEMPTS),
        "client-fallback.closed-backs-off": backs_off,
    }

    def api_versions(self, request: Request) -> Value:
        raise Hangup
