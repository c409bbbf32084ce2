"""Codecs that do nothing pass next to nothing, over every third vector there is.

What they do pass is to write bytes that happen to be those of a message: a message without bytes,
or, for the one that writes defaults, the message that has nothing but defaults.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from conformance.codecs.cases.values.unknown_tags import without_unknown_tags
from conformance.codecs.mutants.baselines import BASELINES, AllDefaults
from conformance.reference.codec import PlainCodec
from conformance.results.lines import BROKEN
from tests.proof.figures import (
    PAGE,
    baseline_line,
    baseline_verdicts,
    every_family,
    marked_lines,
)

PROOF = (Path(__file__).parents[3] / PAGE).read_text("utf-8")

MOST = {
    "RejectsAll": 0,
    "AcceptsAll": 0.001,
    "Echoes": 0.0001,
    "EmptyValues": 0.0001,
    "AllDefaults": 0.01,
}
"""The share of the cases that each passes at most."""


@pytest.mark.parametrize("baseline", BASELINES, ids=lambda baseline: baseline.__name__)
def test_a_baseline_breaks_a_run_and_passes_next_to_nothing(baseline):
    """All in one test, since to ask a baseline takes long."""
    most = MOST[baseline.__name__]
    verdicts = [(each.case, each.op, each.verdict) for each in baseline_verdicts(baseline)]
    names = Counter(name for _, _, name in verdicts)
    passed = {case for case, _, name in verdicts if name == "pass"}
    assert BROKEN & names.keys()
    assert not names["error"]
    assert names["pass"] <= most * names.total()
    assert len(passed) <= most * len({case for case, _, _ in verdicts})
    assert {op for _, op, name in verdicts if name == "pass"} <= {"encode"}
    assert baseline_line(baseline, ((case, name) for case, _, name in verdicts)) in marked_lines(
        PROOF
    )
    if baseline is AllDefaults:
        check_defaults_were_asked_for(passed)


def check_defaults_were_asked_for(passed):
    assert passed
    asked = {case.id: case.request for family in every_family() for case in family.cases}
    for case in passed:
        request = asked[case]
        assert (
            without_unknown_tags(request.value)[0]
            == PlainCodec().decode(
                request.message,
                request.version,
                AllDefaults().encode(request.message, request.version, {}),
            )[0]
        )


def test_a_baseline_ends_the_gate_with_exit_code_1():
    target = "conformance.codecs.mutants.baselines:AllDefaults"
    command = [sys.executable, "-m", "conformance.cli", "codec", target]
    done = subprocess.run(
        [*command, "--message", "HeartbeatRequest"], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 1, done.stderr
