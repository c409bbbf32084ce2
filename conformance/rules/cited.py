"""The addresses of the texts that rules cite: KIPs, the protocol guide, Kafka's documentation,
RFCs.

A KIP whose page is not listed here leads to the list of all KIPs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import msgspec

_WIKI = "https://cwiki.apache.org/confluence/display/KAFKA/"
_ALL_KIPS = f"{_WIKI}Kafka+Improvement+Proposals"
_OLD_GUIDE = f"{_WIKI}A+Guide+To+The+Kafka+Protocol"
_GUIDE = "https://kafka.apache.org/protocol.html"
_FORMAT = "https://kafka.apache.org/documentation/"
_SECTIONS = {
    "Network": "protocol_network",
    "Partitioning and bootstrapping": "protocol_partitioning",
    "Versioning": "protocol_compatibility",
    "Versioning and Compatibility": "protocol_compatibility",
    "Retrieving Supported API versions": "api_versions",
    "SASL Authentication Sequence": "sasl_handshake",
    "Protocol Primitive Types": "protocol_types",
    "Common Request and Response Structure": "protocol_common",
    "Headers": "protocol_headers",
    "Error Codes": "protocol_error_codes",
    "Api Keys": "protocol_api_keys",
}
_FORMATS = {
    "Record Batch": "recordbatch",
    "Control Batches": "controlbatch",
    "Old Message Format": "messageset",
    "Record Header": "recordheader",
    "Record": "record",
}


def _either(names: dict[str, str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_CITED = re.compile(
    r"(?P<kip>KIP-\d+)"
    r"|(?P<old>A Guide To The Kafka Protocol)"
    rf"|(?P<guide>[Pp]rotocol guide(?: of [\d.]+)?(?:, (?P<section>{_either(_SECTIONS)}))?)"
    r"(?! (?:is silent|says nothing|in Apache Kafka's wiki))"
    rf"|(?P<format>Message Format(?:: (?P<part>{_either(_FORMATS)}))?)"
    r"|RFC (?P<rfc>\d+)"
    r"|(?P<issue>KAFKA-\d+)"
    r"|(?P<cve>CVE-\d{4}-\d+)"
)


def cited(source: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a source, each with the address of the text that it names, or ""."""
    at = 0
    for found in _CITED.finditer(source):
        if found.start() > at:
            yield source[at : found.start()], ""
        yield found[0], _address(found)
        at = found.end()
    if at < len(source):
        yield source[at:], ""


def _address(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "kip":
            name = _kips().get(found["kip"])
            return _WIKI + name if name else _ALL_KIPS
        case "old":
            return _OLD_GUIDE
        case "guide":
            section = _SECTIONS.get(found["section"] or "", "")
            return f"{_GUIDE}#{section}" if section else _GUIDE
        case "format":
            return f"{_FORMAT}#{_FORMATS.get(found['part'] or '', 'messageformat')}"
        case "rfc":
            return f"https://www.rfc-editor.org/rfc/rfc{found['rfc']}"
        case "cve":
            return f"https://www.cve.org/CVERecord?id={found['cve']}"
        case _:
            return f"https://issues.apache.org/jira/browse/{found['issue']}"


@cache
def _kips() -> dict[str, str]:
    """The names of the KIPs' pages in Kafka's wiki."""
    return msgspec.json.decode((files(__package__) / "kips.json").read_bytes(), type=dict[str, str])
