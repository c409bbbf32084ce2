"""The texts that rules cite are linked."""

import re

import pytest

from conformance.rules import catalogue
from conformance.rules.cited import cited

WIKI = "https://cwiki.apache.org/confluence/display/KAFKA/"
GUIDE = "https://kafka.apache.org/protocol.html"


def links(source: str) -> dict[str, str]:
    return {text: address for text, address in cited(source) if address}


def test_a_link_is_on_the_name_and_the_rest_stays_text() -> None:
    source = "KIP-511, ApiVersions Request/Response Handling; the protocol guide, Error Codes"
    assert list(cited(source)) == [
        (
            "KIP-511",
            f"{WIKI}KIP-511%3A+Collect+and+Expose+Client%27s+Name+and+Version+in+the+Brokers",
        ),
        (", ApiVersions Request/Response Handling; the ", ""),
        ("protocol guide, Error Codes", f"{GUIDE}#protocol_error_codes"),
    ]


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("Protocol guide of 4.4.0, Versioning", f"{GUIDE}#protocol_compatibility"),
        ("Protocol guide, Network: all messages", f"{GUIDE}#protocol_network"),
        ("protocol guide, for instance DeleteTopics", GUIDE),
        ("A Guide To The Kafka Protocol, the protocol guide in Apache Kafka's wiki, Produce API",
         f"{WIKI}A+Guide+To+The+Kafka+Protocol"),
        ("Message Format: Record Batch (crc)", "https://kafka.apache.org/documentation/#recordbatch"),
        ("Message Format: Record (length)", "https://kafka.apache.org/documentation/#record"),
        ("RFC 5802, section 7", "https://www.rfc-editor.org/rfc/rfc5802"),
        ("CVE-2022-34917", "https://www.cve.org/CVERecord?id=CVE-2022-34917"),
        ("KAFKA-14063", "https://issues.apache.org/jira/browse/KAFKA-14063"),
        ("KIP-99999", f"{WIKI}Kafka+Improvement+Proposals"),
    ],
)  # fmt: skip
def test_a_text_has_its_address(source: str, address: str) -> None:
    assert list(links(source).values()) == [address]


@pytest.mark.parametrize(
    "source", ["the protocol guide is silent", "the protocol guide says nothing", "FieldSpec"]
)
def test_what_names_no_text_has_no_link(source: str) -> None:
    assert links(source) == {}


def test_nothing_of_a_source_is_lost_and_what_it_names_is_linked() -> None:
    for rule in catalogue().values():
        assert "".join(text for text, _ in cited(rule.source)) == rule.source
        named = set(re.findall(r"KIP-\d+|RFC \d+", rule.source))
        assert named <= set(links(rule.source))


def test_most_rules_lead_to_a_text() -> None:
    linked = [rule for rule in catalogue().values() if links(rule.source)]
    assert 2 * len(linked) > len(catalogue())
