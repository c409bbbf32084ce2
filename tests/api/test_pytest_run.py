"""`pytest --kafka-codec` in somebody else's project: our items join theirs, and disturb nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.api.conftest import Pytest

CODEC = ("--kafka-codec", "mycodec:Codec")
WRONG = """
from mycodec import Codec


class Wrong(Codec):
    def decode(self, message, version, data):
        value, left = super().decode(message, version, data)
        return ({**value, "clientSoftwareName": "x"} if version == 3 else value), left
"""


def counts(ran: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """The numbers of pytest's last line."""
    last = ran.stdout.strip().splitlines()[-1]
    return {word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+)", last)}


def test_without_the_option_their_tests_run_alone(run_pytest: Pytest) -> None:
    ran = run_pytest("-q", "--ignore", "test_codec.py")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "kafka-conformance" not in ran.stdout


def test_with_it_ours_join_theirs(run_pytest: Pytest) -> None:
    alone, joined = counts(run_pytest()), counts(run_pytest(*CODEC))
    assert joined["passed"] >= alone["passed"] + 5
    assert "failed" not in joined


def test_ours_are_named_after_what_they_judge(run_pytest: Pytest) -> None:
    ran = run_pytest(*CODEC, "-v", "-k", "ApiVersionsRequest-tags")
    assert "kafka-conformance::test_conformance[ApiVersionsRequest-tags] PASSED" in ran.stdout
    assert "kafka-conformance: judges mycodec:Codec" in ran.stdout


def test_a_broken_rule_fails_its_item_and_theirs_go_on(project: Path, run_pytest: Pytest) -> None:
    (project / "wrong.py").write_text(WRONG)
    ran = run_pytest("--kafka-codec", "wrong:Wrong", "test_golden.py")
    assert ran.returncode == pytest.ExitCode.TESTS_FAILED
    assert "(must): fail" in ran.stdout
    assert counts(ran)["passed"] > 10


def test_a_failure_of_theirs_does_not_end_the_run(project: Path, run_pytest: Pytest) -> None:
    (project / "test_a.py").write_text("def test_a():\n    assert False\n")
    ran = run_pytest(*CODEC, "test_a.py")
    assert counts(ran)["failed"] == 1
    assert counts(ran)["passed"] >= 5


def test_parameters_of_theirs_that_are_called_as_ours(project: Path, run_pytest: Pytest) -> None:
    (project / "test_a.py").write_text(
        "import pytest\n\n"
        "@pytest.mark.parametrize('group', ['a', 'b'])\n"
        "def test_a(group):\n    assert group\n"
    )
    assert run_pytest(*CODEC, "test_a.py").returncode == 0


def test_workers_share_theirs_and_ours(run_pytest: Pytest) -> None:
    codec = (*CODEC, "--kafka-rule", "tags.*")
    alone = counts(run_pytest(*codec, "test_golden.py"))
    for dist in ("load", "loadscope", "worksteal"):
        ran = run_pytest(*codec, "-n", "2", "--dist", dist, "test_golden.py")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert counts(ran) == alone, dist


def test_only_ours(run_pytest: Pytest) -> None:
    ran = run_pytest(*CODEC, "--pyargs", "conformance.gate.checks", "--kafka-rule", "tags.*")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert counts(ran)["passed"] == 1


def test_known_failures_are_expected(project: Path, run_pytest: Pytest) -> None:
    (project / "wrong.py").write_text(WRONG)
    wrong = ("--kafka-codec", "wrong:Wrong", "--pyargs", "conformance.gate.checks")
    known = ("--known", "known.toml", "--update-known")
    command = (sys.executable, "-m", "conformance.cli", "codec", "wrong:Wrong", *known)
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    assert run_pytest(*wrong).returncode == pytest.ExitCode.TESTS_FAILED
    assert run_pytest(*wrong, "--kafka-known", "known.toml").returncode == 0


def test_their_junit_has_ours(project: Path, run_pytest: Pytest) -> None:
    run_pytest(*CODEC, "--junitxml", "junit.xml", "test_golden.py")
    cases = ElementTree.parse(project / "junit.xml").iter("testcase")
    assert {"kafka-conformance", "test_golden"} == {case.get("classname") for case in cases}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--kafka-codec", "nobody:Codec"), "cannot import 'nobody'"),
        ((*CODEC, "--kafka-rule", "nothing.*"), "no rule matches 'nothing.*'"),
        ((*CODEC, "--kafka-known", "gone.toml"), "gone.toml: No such file"),
    ],
)
def test_a_mistake_is_one_line(run_pytest: Pytest, options: tuple[str, ...], said: str) -> None:
    ran = run_pytest(*options)
    assert ran.returncode in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERRUPTED)
    assert said in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr


def test_nothing_is_loaded_where_nothing_is_judged(project: Path, run_pytest: Pytest) -> None:
    (project / "test_a.py").write_text(
        "import sys\n\n"
        "def test_a():\n"
        "    ours = {name for name in sys.modules if name.startswith('conformance')}\n"
        "    assert ours == {'conformance', 'conformance.codecs', 'conformance.codecs.plugin'}\n"
    )
    ran = run_pytest("test_a.py")
    assert ran.returncode == 0, ran.stdout
