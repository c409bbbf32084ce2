"""Client ids through a proxy: kept, or where it says that it changes them, one for each client."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.brokers.dialogues.talk import api_keys
from conformance.dialogue import Broken, Dialogue
from conformance.proxies.dialogues import (
    LOGINS,
    Held,
    ProxyCase,
    basics,
    case_of,
    cases,
    dialogue,
    is_settled,
)
from conformance.proxies.dialogues.talk import ProxyFacts, ProxyTalk, client_id_in
from conformance.reference.proxy.translation import CLIENT_IDS

ONE_CLIENT_ID = "proxy-messages.client-id-is-one"
KEPT = "proxy-messages.client-id-kept"


@cases
def _client_ids(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Yield for every version of every API a request whose client id has to arrive as it is."""
    for api in sorted(filter(facts.has, api_keys())):
        low, high = facts.range_of(api)
        for version in range(low, high + 1):
            if CLIENT_IDS in facts.rewrites or api in LOGINS or not is_settled(api, version):
                continue
            yield case_of(
                f"{api}Request-v{version}/client-id-kept",
                (KEPT,),
                f"{api}Request",
                version,
                Held(facts, _kept, (api, version)),
                basics=basics(facts, api, version),
            )


def _kept(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    arrived, _ = yield from talk.passes(api, version)
    found, due = client_id_in(arrived.frame), talk.client_id.encode()
    if found != due:
        what = "another client id comes to the broker" if found else "the client id is lost"
        raise Broken(what, f"{talk.client_id}", arrived.frame, judged_by=KEPT)


@dialogue(ONE_CLIENT_ID, changes=CLIENT_IDS)
def _requests_of_one_client(talk: ProxyTalk) -> Dialogue:
    """Send requests of several APIs, in old and new versions, with headers of different forms."""
    came: set[bytes | None] = set()
    for api in filter(talk.facts.has, ("Metadata", "FindCoordinator", "Produce", "ListGroups")):
        for version in dict.fromkeys(talk.facts.range_of(api)):
            arrived, _ = yield from talk.passes(api, version)
            came.add(client_id_in(arrived.frame))
            if len(came) > 1:
                what = f"{api} v{version} comes under another client id than those before"
                raise Broken(what, "one client id", arrived.frame)
