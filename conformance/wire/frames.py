"""Which header a frame has.

It depends on the api key and the version alone, never on the header's content or the peer: a
request of a flexible version has header v2, else v1, and ControlledShutdown v0 alone has v0; a
response of a flexible version has header v1, else v0, and ApiVersionsResponse has v0 in every
version, since a client reads it before it knows what the broker speaks (KIP-482, KIP-511).
"""

from __future__ import annotations

from conformance.api_keys import API_VERSIONS, CONTROLLED_SHUTDOWN
from conformance.schema.layout import Form


def header_version(form: Form) -> int:
    """The version of RequestHeader or ResponseHeader that goes before this form's body."""
    if form.type == "request":
        if form.api_key == CONTROLLED_SHUTDOWN and form.version == 0:
            return 0
        return 2 if form.flexible else 1
    if form.type == "response":
        return 1 if form.flexible and form.api_key != API_VERSIONS else 0
    raise ValueError(f"{form.message} is neither a request nor a response")


def header_name(form: Form) -> str:
    """The definition of the header that goes before this form's body."""
    return "RequestHeader" if form.type == "request" else "ResponseHeader"
