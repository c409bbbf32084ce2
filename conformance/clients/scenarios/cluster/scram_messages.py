"""The messages of a login by SCRAM as text, by the names that RFC 5802 has for them."""

from __future__ import annotations

import base64
import re

from conformance.clients.scenarios.visit import PlayedAnswer, Sent

_OF_CLIENT = {
    "client-first": re.compile(rb"[nyp][^,]*,[^,]*,n=.*", re.DOTALL),
    "client-final": re.compile(rb"c=.*", re.DOTALL),
}
_OF_SERVER = {
    "server-first": re.compile(rb"r=[\x21-\x7e]+"),
    "server-final": re.compile(rb"v=[A-Za-z0-9+/=]+|e=[a-z-]+"),
}


def said_in_scram(event: Sent | PlayedAnswer) -> str:
    """Return the message of SCRAM in a request or an answer, with its name; empty for none."""
    if isinstance(event, PlayedAnswer):
        found = ((name, each.search(event.body)) for name, each in _OF_SERVER.items())
    else:
        is_login = event.api == "SaslAuthenticate" and event.value is not None
        token = base64.b64decode(event.value["authBytes"]) if is_login and event.value else b""
        found = ((name, each.fullmatch(token)) for name, each in _OF_CLIENT.items())
    message = next(((name, match[0]) for name, match in found if match), None)
    return f"{message[0]} {message[1].decode('utf-8', 'backslashreplace')}" if message else ""
