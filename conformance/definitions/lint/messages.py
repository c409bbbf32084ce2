"""Rules about a message as a whole: its versions, and keys that only some types may have."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.api_keys import API_VERSIONS, CONTROLLED_SHUTDOWN
from conformance.schema.model import Message
from conformance.schema.text.demand import Fault, demand
from conformance.schema.versions import MAX_VERSION, Versions


@demand("definitions.flexible-open")
def flexible_open(message: Message) -> Iterator[Fault]:
    flexible = message.flexible
    if flexible and flexible.high != MAX_VERSION:
        yield Fault(None, f"flexible in {flexible} alone", "flexibleVersions")


@demand("definitions.flexible-meets-valid")
def flexible_meets_valid(message: Message) -> Iterator[Fault]:
    flexible, valid = message.flexible, message.valid
    if valid and flexible and flexible.low > valid.high + 1:
        reason = f"flexible from {flexible.low} on, two or more beyond the newest, {valid.high}"
        yield Fault(None, reason, "flexibleVersions")


@demand("definitions.listeners-of-requests")
def listeners_of_requests(message: Message) -> Iterator[Fault]:
    if message.listeners and message.type != "request":
        yield Fault(None, f"listeners of a {message.type}: only requests have them", "listeners")


@demand("definitions.unstable-of-requests")
def unstable_of_requests(message: Message) -> Iterator[Fault]:
    if message.latest_unstable and message.type != "request":
        reason = f"of a {message.type}: its request says it, for both"
        yield Fault(None, reason, "latestVersionUnstable")


@demand("definitions.coordinator-key-form")
def coordinator_key_form(message: Message) -> Iterator[Fault]:
    if message.type != "coordinator-key":
        return
    if message.valid and message.valid != Versions(0, 0):
        yield Fault(None, "a coordinator's key has version 0 alone", "validVersions")
    if message.flexible:
        yield Fault(None, "a coordinator's key that is flexible", "flexibleVersions")


@demand("definitions.header-versions")
def header_versions(message: Message) -> Iterator[Fault]:
    given = sorted(message.header_versions, key=lambda item: item[0].low)
    if not given:
        return
    if message.type not in ("request", "response") or not message.valid:
        what = message.type if message.valid else "message without versions"
        yield Fault(None, f"header versions of a {what}", "headerVersions")
        return
    ends = [-1, *(versions.high for versions, _ in given)]
    starts = [versions.low for versions, _ in given]
    if ends[-1] != MAX_VERSION or any(a + 1 != b for a, b in zip(ends, starts, strict=False)):
        yield Fault(None, "not each version from 0 on has one, once", "headerVersions")
        return
    for version in message.valid:
        stated = next(header for versions, header in given if version in versions)
        due = _header_due(message, version)
        if stated != due:
            reason = f"header version {stated} for version {version}, {due} due"
            yield Fault(None, reason, "headerVersions")


def _header_due(message: Message, version: int) -> int:
    """Return the expected header version by KIP-482; KIP-511 for the response of ApiVersions."""
    if message.type == "response":
        return int(version in message.flexible and message.api_key != API_VERSIONS)
    if message.api_key == CONTROLLED_SHUTDOWN and version == 0:
        return 0
    return 2 if version in message.flexible else 1


RULES = (
    flexible_open,
    flexible_meets_valid,
    listeners_of_requests,
    unstable_of_requests,
    coordinator_key_form,
    header_versions,
)
