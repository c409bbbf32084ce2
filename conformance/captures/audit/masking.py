"""Masked captured frames: zeros replace passwords and keys, and the length stays the same.

Bytes that are not known to be harmless are taken for secret: in a frame of an API that holds
secrets, all bytes that could not be read; in one that answers no request or has no definition, all
bytes after its header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.captures.audit.shown_verdicts import is_secret
from conformance.captures.streams.events import Captured, Unanswering
from conformance.captures.streams.request_head import LEAST_REQUEST
from conformance.explain import Explainer
from conformance.wire.annotated import Row

SECRET_FIELD = re.compile(r"\b(authBytes|hmac|salt|saltedPassword|value|requestData|responseData)$")
ANSWER_HEAD = 4
_CONFIGS = frozenset({"DescribeConfigsResponse"})
"""Messages in which the name of an entry decides whether its value is secret."""
_SECRET_NAME = re.compile(r"password|secret|jaas|credential|token|\.key$|keystore|truststore", re.I)
_NAME = re.compile(r"\b(name|configName)$")


class Masker:
    """A masker that reads frames by the definitions of a release."""

    def __init__(self, release: str = "") -> None:
        self._explainer = Explainer(release, length=False)

    def frame(self, captured: Captured) -> bytes:
        """Return a frame with zeros in place of its secrets."""
        is_request = captured.side == "request"
        if not captured.message:
            return behind_head(captured.frame, LEAST_REQUEST if is_request else ANSWER_HEAD)
        if not is_secret(captured.message) and captured.message not in _CONFIGS:
            return captured.frame
        if is_request:
            rows = self._explainer.request(captured.frame).rows
        else:
            rows = self._explainer.response(
                captured.frame, captured.message, captured.asked.version
            ).rows
        masked = bytearray(len(captured.frame))
        for row in _harmless(rows, captured.message in _CONFIGS):
            masked[row.offset : row.end] = row.data
        return bytes(masked)

    def hides(self, captured: Captured) -> bool:
        """True if a frame's API holds secrets, or a DescribeConfigs answer has a secret."""
        if captured.message in _CONFIGS:
            return self.frame(captured) != captured.frame
        return is_secret(captured.message)

    def unanswering(self, found: Unanswering) -> bytes:
        """Return an answer to no known request with zeros after its correlation id."""
        return behind_head(found.frame, ANSWER_HEAD)


def behind_head(frame: bytes, kept: int) -> bytes:
    """Return a frame with zeros in place of all but its first `kept` bytes."""
    return frame[:kept] + bytes(max(len(frame) - kept, 0))


def _harmless(rows: tuple[Row, ...], by_name: bool) -> Iterator[Row]:
    """Yield the rows that were read and hold no secret."""
    name = ""
    for row in rows:
        if _NAME.search(row.path):
            name = str(row.value)
        is_value = SECRET_FIELD.search(row.path) and (not by_name or _SECRET_NAME.search(name))
        if row.state in ("read", "forgiven") and not is_value:
            yield row
