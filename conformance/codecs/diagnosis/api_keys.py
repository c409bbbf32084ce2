"""Wrong api keys in the headers of a few requests.

Each request has one constant for its api key, and a codec may get one wrong. All else of that
header is right then, and so are the headers of other requests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from conformance.codecs.cases.case import Writes
from conformance.codecs.diagnosis.shown import Find
from conformance.reporting.findings import Cause
from conformance.reporting.observed import Observed
from conformance.reporting.sorts import Sort
from conformance.results.lines import Verdict
from conformance.schema.releases import request_names

_MOST_MESSAGES = 3
"""The most requests that are reported to have a wrong constant.

If more have a wrong key, the way in which all keys are written is the likelier cause. The number is
a judgement, not a measurement.
"""
_KEY = 2
"""The size of an api key in bytes (INT16), with which a request header begins."""


def wrong_api_keys(sorts: Mapping[Sort, Cause], find: Find) -> dict[Sort, Observed]:
    """Return the wrong api key as the cause of sorts whose frames are right otherwise.

    Sorts of the same requests that are not decoded are added: with the wrong constant, a codec does
    not find a request by its right key.
    """
    own: dict[str, list[Sort]] = defaultdict(list)
    keys: dict[str, tuple[int, int]] = {}
    for sort, cause in sorts.items():
        found = {(each.message, _keys(each, find)) for each in cause.examples}
        for message, both in found if len(found) == 1 else ():
            if both is not None:
                own[message].append(sort)
                keys[message] = both
    if len(own) > _MOST_MESSAGES:
        return {}
    for sort, cause in sorts.items():  # it does not know requests by their right key either
        messages = {each.message for each in cause.examples}
        if messages <= own.keys() and all(map(_is_not_found, cause.examples)):
            own[messages.pop()].append(sort)
    return {
        sort: _observed(message, *keys[message])
        for message, of_message in own.items()
        for sort in of_message
    }


def _is_not_found(verdict: Verdict) -> bool:
    """True if the target refused to decode a request."""
    return (verdict.op, verdict.outcome) == ("decode-request", "rejected")


def _keys(verdict: Verdict, find: Find) -> tuple[int, int] | None:
    """Return the right and the written api key, None if anything else differs."""
    if (verdict.op, verdict.outcome, verdict.verdict) != ("encode-request", "value", "fail"):
        return None
    case = find(verdict.case)
    if case is None or not isinstance(case.expects, Writes):
        return None
    written = bytes.fromhex(str(verdict.actual))
    for option in case.expects.options:
        if option[:_KEY] != written[:_KEY] and option[_KEY:] == written[_KEY:]:
            return _number(option), _number(written)
    return None


def _number(frame: bytes) -> int:
    """Return the api key with which a frame begins."""
    return int.from_bytes(frame[:_KEY], "big", signed=True)


def _observed(message: str, right: int, written: int) -> Observed:
    """Return what is reported on the wrong key of one request."""
    other = request_names().get(written, "")
    return Observed(
        f"has the api key {written} for {message}, not {right}",
        "request-header.v1-fields",
        harm=(
            f"The broker reads the body as that of {other}, and answers that or hangs up."
            if other
            else "The broker knows no such request, and closes the connection."
        ),
        remedy=f"Set the api key of {message} to {right}.",
    )
