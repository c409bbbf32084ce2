"""Names and passwords with commas and equal signs, as the tokens of a login have them."""

from __future__ import annotations

import base64

from conformance.clients.scenarios.actions import ODD_PASSWORD, ODD_USER
from conformance.clients.scenarios.visit import Sent, Visit, succeeds
from conformance.dialogue import Broken
from conformance.results.text import json_text

ESCAPED = ODD_USER.replace("=", "=3D").replace(",", "=2C")
"""The name as SCRAM has it (RFC 5802, section 5.1)."""


def names_as_given(visit: Visit) -> None:
    """Each token of PLAIN has name and password as they are, each first message of SCRAM the name
    with its commas and equal signs escaped, and no other message is refused."""
    for each in visit.of("SaslAuthenticate"):
        if each.value is not None:
            _check(base64.b64decode(each.value["authBytes"]), each)
            if _is_refused(visit, each):
                what = "SaslAuthenticate has a proof that is not of the password"
                raise Broken(what, "a proof that the client knows it", each.frame)
    succeeds(visit)


def _check(token: bytes, asked: Sent) -> None:
    """Raise Broken if a token says another name, or PLAIN another password."""
    if token.startswith(b"n,"):
        name = token.partition(b",n=")[2].rpartition(b",r=")[0].decode("utf-8", "replace")
        if name != ESCAPED:
            said = json_text(name)
            what = f"SaslAuthenticate names the user {said} in the first message of SCRAM"
            raise Broken(what, json_text(ESCAPED), asked.frame)
    elif token.count(b"\0") > 1:
        found = [each.decode("utf-8", "replace") for each in token.split(b"\0")[1:]]
        if found != [ODD_USER, ODD_PASSWORD]:
            what = f"SaslAuthenticate says {' and '.join(map(json_text, found))} in PLAIN"
            raise Broken(what, f"{json_text(ODD_USER)} and {json_text(ODD_PASSWORD)}", asked.frame)


def _is_refused(visit: Visit, asked: Sent) -> bool:
    """True if the connection was ended with the answer to a request."""
    answer = visit.answer_to(asked)
    if answer is None:
        return False
    later = visit.answered[answer + 1 :]
    here = next((each for each in later if each.connection == asked.connection), None)
    return here is not None and not here.size
