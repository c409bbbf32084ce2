"""Released proxies are judged from end to end."""

from __future__ import annotations

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import BROKEN, Verdict
from tests.cli.conftest import run

BREAKS = {
    "kroxylicious": {
        "proxy-versions.refusal-reaches-client",
        "proxy-security.tokens-pass",
        "proxy-frames.answered-after-half-close",
    },
    "shotover": {
        "proxy-addresses.errors-name-nobody",
        "proxy-addresses.in-cluster-description",
        "proxy-addresses.in-metadata",
        "proxy-addresses.in-node-endpoints",
        "proxy-frames.unanswered-stalls-nothing",
        "proxy-messages.requests-pass",
    },
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("kroxylicious", marks=pytest.mark.java),
        pytest.param("shotover", marks=pytest.mark.proxies),
    ],
)
def test_a_proxy_breaks_what_is_known_of_it(name, tmp_path):
    results = tmp_path / "results.ndjson"
    options = ("--timeout", "3", "--known", "bundled", "--results", str(results))
    ended = run("proxy", "--start", name, *options, timeout_s=900)
    assert ended.code == 0, ended.out
    verdicts = [line for line in read_lines(results) if isinstance(line, Verdict)]
    assert {verdict.rule for verdict in verdicts if verdict.verdict in BROKEN} == BREAKS[name]
    assert len(verdicts) > 20_000
