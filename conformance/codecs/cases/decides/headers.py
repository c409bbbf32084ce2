"""Request and response headers, and the end of a message. Whole frames decide the rules of headers,
and bodies none.
"""

from __future__ import annotations

from conformance.codecs.cases.decides.predicates import body, frame
from conformance.codecs.cases.evidence import Evidence

FRAMES = ("frame", "frame-negative-correlation-id")
TAGGED = ("frame-unknown-tag", "frame-unknown-tags")
ALONE = ("filled", "lowest", "highest", "utf8", "mixture")
UNKNOWN = ("unknown-tag", "unknown-tag-empty", "unknown-tags-high", "mixture")


@frame("request-header.v1-fields", *FRAMES, alone=ALONE)
def _header_v1(vector: Evidence) -> bool:
    return vector.any_header == ("request", 1)


@frame("request-header.flexible-adds-tags", *FRAMES, alone=ALONE)
def _header_v2(vector: Evidence) -> bool:
    return vector.any_header == ("request", 2)


@frame("request-header.client-id-not-compact", "frame", alone=ALONE)
def _client_id_not_compact(vector: Evidence) -> bool:
    return vector.any_header == ("request", 2)


@frame("request-header.controlled-shutdown-v0", *FRAMES)
def _controlled_shutdown(vector: Evidence) -> bool:
    return vector.form.type == "request" and vector.header_version == 0


@frame(
    "request-header.null-client-id",
    "frame-null-client-id",
    "frame-empty-client-id",
    alone=("null",),
)
def _null_client_id(_vector: Evidence) -> bool:
    return True


@frame("request-header.unknown-tag-skipped", *TAGGED, alone=UNKNOWN)
def _request_header_tag(vector: Evidence) -> bool:
    return vector.any_header == ("request", 2)


@frame("response-header.v0-fields", *FRAMES, alone=ALONE)
def _response_header_v0(vector: Evidence) -> bool:
    return vector.any_header == ("response", 0) and not vector.flexible


@frame("response-header.flexible-adds-tags", *FRAMES, alone=ALONE)
def _response_header_v1(vector: Evidence) -> bool:
    return vector.any_header == ("response", 1)


@frame("response-header.api-versions-stays-v0", *FRAMES)
def _api_versions_header(vector: Evidence) -> bool:
    return vector.form.type == "response" and vector.flexible and vector.header_version == 0


@frame("response-header.unknown-tag-skipped", *TAGGED, alone=UNKNOWN)
def _response_header_tag(vector: Evidence) -> bool:
    return vector.any_header == ("response", 1)


@body("framing.nothing-after-end", "filled")
def _nothing_after_end(_vector: Evidence) -> bool:
    return True
