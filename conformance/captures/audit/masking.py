"""Captured frames with zeros where they hold passwords and keys: as long, and read alike.

What is not known to be harmless is taken for secret: in a frame of an API that holds secrets all
that could not be read, in one that answers nothing or is of no definition all behind its header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.captures.audit.showing import is_secret
from conformance.captures.streams.events import Captured, Unanswering
from conformance.captures.streams.request_head import LEAST_REQUEST
from conformance.explain import Explainer
from conformance.wire.annotated import Row

SECRET_FIELD = re.compile(r"\b(authBytes|hmac|salt|saltedPassword|value|requestData|responseData)$")
ANSWER_HEAD = 4
_CONFIGS = frozenset({"DescribeConfigsResponse"})
"""Messages whose values are secret by the names that they have."""
_SECRET_NAME = re.compile(r"password|secret|jaas|credential|token|\.key$|keystore|truststore", re.I)
_NAME = re.compile(r"\b(name|configName)$")


class Masker:
    """Masks by the definitions of a release."""

    def __init__(self, release: str = "") -> None:
        self._explainer = Explainer(release, length=False)

    def frame(self, captured: Captured) -> bytes:
        """A frame without what is secret in it."""
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
        """Whether a frame is of an API that holds secrets, or holds some all the same."""
        if captured.message in _CONFIGS:
            return self.frame(captured) != captured.frame
        return is_secret(captured.message)

    def unanswering(self, found: Unanswering) -> bytes:
        """An answer to nothing: all that is known of it is its correlation id."""
        return behind_head(found.frame, ANSWER_HEAD)


def behind_head(frame: bytes, kept: int) -> bytes:
    """A frame of which the first bytes alone are kept."""
    return frame[:kept] + bytes(max(len(frame) - kept, 0))


def _harmless(rows: tuple[Row, ...], by_name: bool) -> Iterator[Row]:
    """The rows that were read, but for secrets."""
    name = ""
    for row in rows:
        if _NAME.search(row.path):
            name = str(row.value)
        is_value = SECRET_FIELD.search(row.path) and (not by_name or _SECRET_NAME.search(name))
        if row.state in ("read", "forgiven") and not is_value:
            yield row
