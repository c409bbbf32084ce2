"""One defect is one failure of pytest where that is asked for; what repeats it is an xfail."""

from __future__ import annotations

import re

from tests.gate.test_plugin import plain_pytest

FAULTY = ("--kafka-codec", "faulty:RefusesNulls", "--kafka-message", "MetadataRequest")


def test_one_defect_is_one_failure_and_the_others_say_whose_cause_they_have() -> None:
    plain = plain_pytest(*FAULTY, "-n", "0")
    [failed] = re.findall(r"(\d+) failed", plain.stdout)
    assert int(failed) > 1

    ran = plain_pytest(*FAULTY, "-n", "0", "--kafka-by-cause", "-rfx")
    assert ran.returncode == 1
    assert re.search(rf"\b1 failed, .*\b{int(failed) - 1} xfailed", ran.stdout)
    [name] = re.findall(r"^FAILED (\S+)", ran.stdout, re.MULTILINE)
    assert f"{int(failed) - 1} other test" in ran.stdout
    assert ran.stdout.count(f"same cause as {name}: refuses null") == int(failed) - 1
    assert "\nRefusesNulls: 1 defect breaks the protocol\n" in ran.stdout


def test_without_a_failure_nothing_is_expected_to_fail() -> None:
    only = ("--kafka-codec", "reference", "--kafka-message", "HeartbeatResponse")
    ran = plain_pytest(*only, "-n", "0", "--kafka-by-cause")
    assert ran.returncode == 0
    assert "xfailed" not in ran.stdout


def test_what_is_left_out_of_the_run_is_not_what_fails() -> None:
    ran = plain_pytest(*FAULTY, "-n", "0", "--kafka-by-cause", "-k", "versions")
    assert re.findall(r"^FAILED (\S+)", ran.stdout, re.MULTILINE) == [
        "kafka-conformance::test_conformance[MetadataRequest-versions]"
    ]
