"""The scenarios find defects of clients again that others have found, in the releases of then."""

import json
import subprocess
import sys
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Pin:
    """Two releases of a client, a public defect of the first, and the rule and cases for it."""

    client: str
    broken: str
    fixed: str
    rule: str
    cases: tuple[str, ...]
    public: str

    def __str__(self) -> str:
        return f"{self.client}-{self.broken}"


PINS = (
    Pin(
        "confluent-kafka",
        "2.1.1",
        "2.2.0",
        "tags.unknown-skipped-in-element",
        ("MetadataRequest/element-tags-in-metadata",),
        "confluentinc/librdkafka, release 2.2.0: unknown tags",
    ),
    Pin(
        "franz-go",
        "1.19.0",
        "1.21.6",
        "client-fallback.refusal-is-no-list",
        ("ApiVersionsRequest/hints-to",),
        "twmb/franz-go#1011",
    ),
    Pin(
        "sarama",
        "1.46.0",
        "1.60.1",
        "client-fallback.hint-is-followed",
        ("ApiVersionsRequest/hints-from1-to2",),
        "IBM/sarama#3328",
    ),
    Pin(
        "platformatic-kafka",
        "2.2.3",
        "2.12.1",
        "tags.unknown-skipped-in-element",
        ("ApiVersionsRequest/element-tags-in-api-versions",),
        "platformatic/kafka, release 2.12.1: tag section of ApiVersions",
    ),
)


def verdicts(pin: Pin, version: str, results) -> set[str]:
    """What a release gets by the pin's rule in its cases; building the release may take minutes."""
    target = f"{pin.client}@{version}"
    options = [part for case in pin.cases for part in ("--case", case)]
    command = [sys.executable, "-m", "conformance.cli", "client", target, "--timeout", "20"]
    run = subprocess.run(
        [*command, "--rule", pin.rule, *options, "--results", str(results)],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert results.exists(), run.stdout + run.stderr
    said = map(json.loads, results.read_text("utf-8").splitlines())
    return {line["verdict"] for line in said if line["type"] == "verdict"}


@pytest.mark.parametrize("pin", PINS, ids=str)
def test_the_broken_release_fails_and_the_fixed_one_passes(pin: Pin, tmp_path) -> None:
    broken = verdicts(pin, pin.broken, tmp_path / "broken.ndjson")
    fixed = verdicts(pin, pin.fixed, tmp_path / "fixed.ndjson")
    assert broken & {"fail", "crash", "hang"}, pin.public
    assert fixed == {"pass"}
