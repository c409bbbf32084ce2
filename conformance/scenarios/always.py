"""What holds of a client's requests whatever is played: each is one, and one that was offered."""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformance.dialogue import Broken, NotHere
from conformance.scenarios.visit import Judgement, Visit

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
NAMED_SINCE = 3


def readable(visit: Visit) -> None:
    """Every frame is a request of its key and version, header and body, to the last byte."""
    if not visit.sent and not visit.wrong:
        raise NotHere("it sent nothing")
    for wrong in visit.wrong:
        raise Broken(wrong, "a frame")
    for each in visit.sent:
        if each.wrong:
            what = f"{each.api or 'a request'} v{each.version}: {each.wrong}"
            raise Broken(what, "a request", each.frame)


def software_named(visit: Visit) -> None:
    """ApiVersions from version 3 on carries names as KIP-511 has them."""
    named = [each for each in visit.of("ApiVersions") if each.version >= NAMED_SINCE and each.value]
    if not named:
        raise NotHere("it sent no ApiVersions of version 3 or above")
    for each in named:
        for key in ("clientSoftwareName", "clientSoftwareVersion"):
            assert each.value is not None
            if not _SOFTWARE.fullmatch(each.value[key]):
                raise Broken(f"{key} is {each.value[key]!r}", _SOFTWARE.pattern, each.frame)


def correlated(visit: Visit) -> None:
    """No two requests of one connection have one correlation id."""
    seen: set[tuple[int, int, int]] = set()
    for each in visit.sent:
        if each.header is None:
            continue
        key = each.node, each.connection, each.header["correlationId"]
        if key in seen:
            what = f"correlation id {key[2]} is used twice on one connection"
            raise Broken(what, "another", each.frame)
        seen.add(key)
    if not seen:
        raise NotHere("it sent nothing that can be read")


ALWAYS: Mapping[str, Judgement] = {
    "client-requests.readable": readable,
    "client-requests.software-named": software_named,
    "client-requests.correlation-ids-differ": correlated,
}
