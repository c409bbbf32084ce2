"""The command lines that are printed to be copied: quoted, with what a verdict depends on alone."""

from __future__ import annotations

import shlex
from pathlib import Path

from conformance.brokers.kind import BrokerPlace, Brokers
from conformance.clients.kind import Clients
from conformance.codecs.kind import Codecs
from conformance.gate.options import RunOptions
from conformance.results.command_lines import case_line, command_line, given, input_line, words_of

CASE = "M-v0-null-a.b/decode"


def asked(options: RunOptions, target: str) -> list[str]:
    program, *words = shlex.split(case_line(options.again(target), CASE))
    assert program == "kafka-conformance"
    return words


def test_a_codec_by_its_name() -> None:
    words = asked(RunOptions(Codecs(), timeout=0.5, profile="kafka"), "a b:Codec")
    assert words == [
        *("codec", "a b:Codec", "--profile", "kafka", "--timeout", "0.5", "--case", CASE)
    ]


def test_the_command_of_a_codec_stays_behind_its_dashes() -> None:
    target = f"-- {shlex.join(['./testee', '--with blank'])}"
    assert asked(RunOptions(Codecs(), memory=512), target) == [
        *("codec", "--memory", "512", "--case", CASE, "--", "./testee", "--with blank")
    ]


def test_the_command_of_a_client_is_judged_as_a_client() -> None:
    program = ("./a client", "{bootstrap}")
    target = f"-- {shlex.join(program)}"
    words = asked(RunOptions(Clients({target: program})), target)
    assert words == ["client", "--case", CASE, "--", *program]


def test_a_client_that_comes_by_itself_is_waited_for_again() -> None:
    target = "whoever comes to 127.0.0.1:9092"
    options = RunOptions(Clients({target: ()}, "127.0.0.1:9092"), timeout=60.0)
    assert asked(options, target) == [
        *("client", "--listen", "127.0.0.1:9092", "--timeout", "60", "--case", CASE)
    ]


def test_a_broker_is_logged_in_to_again() -> None:
    place = BrokerPlace("localhost:9092", config=Path("a b.properties"), other=Path("o"))
    options = RunOptions(Brokers({"localhost:9092": place}, writes=True))
    assert asked(options, "localhost:9092") == [
        *("broker", "localhost:9092", "--config", "a b.properties", "--other-config", "o"),
        *("--allow-writes", "--case", CASE),
    ]


def test_a_broker_that_was_started_is_started_again_with_files_of_its_own() -> None:
    place = BrokerPlace("127.0.0.1:5", True, Path("/tmp/made"), None, brokers=3)
    assert asked(RunOptions(Brokers({"kafka:4.3.1": place})), "kafka:4.3.1") == [
        *("broker", "--start", "kafka:4.3.1", "--brokers", "3", "--case", CASE)
    ]


def test_an_object_of_this_process_has_no_command() -> None:
    assert case_line([], CASE) == ""


def test_options_that_are_off_or_as_usual_are_left_out() -> None:
    usual = {"--profile": "spec", "--timeout": 10.0, "--memory": 2048}
    assert given({**usual, "--config": None, "--release": "", "--allow-writes": False}) == []


def test_definitions_and_inputs_are_quoted() -> None:
    words = ["schema", "lint", "my definitions"]
    assert command_line(words, "--rule", "a.b").split("lint ")[1] == "'my definitions' --rule a.b"
    assert input_line("a b", b"\1", "kafka").endswith("'a b' --input 01 --profile kafka")
    assert words_of("codec", "kio") == ["codec", "kio"]
