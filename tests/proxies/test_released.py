"""A released proxy is judged from end to end; `tox run -e proxies` judges the others as well."""

from __future__ import annotations

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import BROKEN, Verdict
from tests.cli.conftest import run


@pytest.mark.java
def test_kroxylicious_breaks_what_is_known_of_it(tmp_path):
    results = tmp_path / "results.ndjson"
    options = ("--timeout", "3", "--known", "bundled", "--results", str(results))
    ended = run("proxy", "--start", "kroxylicious", *options, timeout_s=900)
    assert ended.code == 0, ended.out
    verdicts = [line for line in read_lines(results) if isinstance(line, Verdict)]
    assert {verdict.rule for verdict in verdicts if verdict.verdict in BROKEN} == {
        "proxy-versions.refusal-reaches-client",
        "proxy-security.tokens-pass",
        "proxy-frames.answered-after-half-close",
    }
    assert len(verdicts) > 20_000
