"""The page on judging a proxy does what it says: its commands, proxy and files are tried."""

from __future__ import annotations

import re
import shlex
import ssl
import sys
from pathlib import Path

import pytest

from conformance.brokers.connection.certificates import issue
from conformance.brokers.connection.security import Security, listener
from conformance.proxies.security import SECURED
from conformance.reference.proxy.translation import NOTHING, PORTS, REWRITES
from tests.cli.conftest import run

PAGE = (Path(__file__).parents[2] / "docs" / "judge-a-proxy.md").read_text("utf-8")
BEGIN = PAGE.partition("## Begin")[2].partition("## Bring")[0]
COMMANDS = re.findall(r"^kafka-conformance (.*)$", BEGIN, re.M)
JAVA = "Java 17"
OWN = re.findall(r"^kafka-conformance (.* -- python my_proxy.py .*)$", PAGE, re.M)
FILES = dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE, re.M | re.S))


@pytest.mark.parametrize(
    "command",
    [pytest.param(each, marks=[pytest.mark.java] if JAVA in each else []) for each in COMMANDS],
)
def test_a_command_ends_as_the_page_says(command: str) -> None:
    words, _, remark = command.partition("  #")
    told = re.search(r"exit code (\d)", remark)
    assert run(*shlex.split(words), timeout_s=300).code == (int(told[1]) if told else 0)


def test_there_are_commands_to_run() -> None:
    assert len(COMMANDS) >= 3
    assert len(OWN) == 2


@pytest.mark.parametrize("command", OWN)
def test_its_own_proxy_is_judged_as_the_page_says(command: str, tmp_path: Path) -> None:
    program = tmp_path / "my_proxy.py"
    program.write_text(FILES["my_proxy.py"], "utf-8")
    words, _, remark = command.replace("my_proxy.py", str(program)).partition("  #")
    words = words.replace(" python ", f" {sys.executable} ")
    ended = run(*shlex.split(words), timeout_s=300)
    assert ended.code == ("exit code 1" in remark), ended.out
    assert ended.code == 0 or "tells brokers' own addresses in Metadata" in ended.out


def test_its_files_secure_both_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = issue(tmp_path / "keys", ("127.0.0.1",), ())
    made.authority.rename(tmp_path / "ca.pem")
    made.broker.rename(tmp_path / "broker.pem")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PASSWORD", "s3cret")
    Path("client.properties").write_text(FILES["client.properties"], "utf-8")
    told = re.findall(r"`(ssl\.[a-z.]+=\S+)`", PAGE)
    Path("broker.properties").write_text("\n".join([*told, "ssl.truststore.location=ca.pem"]))
    login = Security.read(Path("client.properties"))
    assert (login.mechanism, login.username, login.password) == ("PLAIN", "alice", "s3cret")
    assert login.tls is not None
    assert len(told) == 2
    assert listener(Path("broker.properties")).verify_mode == ssl.CERT_REQUIRED


def test_all_that_a_proxy_may_change_is_on_the_page() -> None:
    changes = PAGE.partition("| it changes")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", changes, re.M) == [*REWRITES, PORTS, NOTHING]
    assert f"--start {SECURED}" in PAGE
    assert len(PAGE.splitlines()) < 120
