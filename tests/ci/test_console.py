"""What a run shows while it goes on and when it is over, and what a shell offers."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Iterator

import click
import pytest
from rich.console import Console

from conformance.cli import main
from conformance.reporting.console import show_counts, show_groups, show_rules
from conformance.reporting.progress import EVERY_S, RunProgress
from tests.cli.conftest import COMMAND, Cli, environment
from tests.reporting.test_console import printed, tally
from tests.results.making import verdict

FAULTY = ("codec", "faulty:RefusesNulls", "--message", "MetadataRequest", "--api-version", 1)


def commands(group: click.Group, *above: str) -> Iterator[tuple[str, ...]]:
    """Every command and group of commands by the words that name it."""
    yield above
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from commands(command, *above, name)
        else:
            yield (*above, name)


def test_every_command_has_examples_that_name_it() -> None:
    every = [*commands(main)]
    assert ("rules", "list") in every
    for words in every:
        assert f"  kafka-conformance {' '.join(words)}".rstrip() in examples_of(words)


def examples_of(words: tuple[str, ...]) -> str:
    """Those in the help of a command."""
    command: click.Command = main
    for word in words:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None
        command = found
    assert command.help, words
    with click.Context(command, info_name=words[-1] if words else "kafka-conformance") as context:
        return command.get_help(context).partition("Examples:")[2]


@pytest.mark.parametrize("name", ["codec", "broker", "client", "convert"])
def test_every_option_has_a_help_or_a_choice(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    for option in command.params:
        if isinstance(option, click.Option) and not isinstance(option.type, click.Choice):
            assert option.help, option.name


class Clock:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def shown(terminal: bool, *, quiet: bool = False) -> tuple[str, str]:
    """What a run of ten items shows that takes twenty seconds each: on the console, and beside."""
    file, stream, clock = io.StringIO(), io.StringIO(), Clock()
    console = Console(file=file, width=100, force_terminal=terminal, color_system=None)
    with RunProgress(console, "small", 10, quiet=quiet, stream=stream, clock=clock) as bar:
        for _ in range(10):
            clock.now += 20
            bar.advance(1000)
    return file.getvalue(), stream.getvalue()


def test_a_bar_has_count_rate_and_time_left() -> None:
    bar, beside = shown(terminal=True)
    assert "10/10" in bar
    assert "100%" in bar
    assert "50 verdicts/s" in bar
    assert beside == ""


def test_where_there_is_no_terminal_a_line_now_and_then_says_how_far_it_is() -> None:
    bar, beside = shown(terminal=False)
    assert bar == ""
    lines = beside.splitlines()
    assert lines[0] == "small: 2 of 10 items, 50 verdicts/s, 2:40 left"
    assert len(lines) == 200 / (EVERY_S + 10)
    assert "\x1b" not in beside


def test_a_short_run_says_nothing_of_how_far_it_is(cli: Cli) -> None:
    assert cli(*FAULTY).err == ""


@pytest.mark.parametrize("terminal", [True, False])
def test_quiet_is_quiet(terminal: bool) -> None:
    assert shown(terminal, quiet=True) == ("", "")


def test_a_quiet_run_says_its_outcome_alone(cli: Cli) -> None:
    ended = cli(*FAULTY, "--quiet")
    assert ended.code == 1
    assert ended.out == "RefusesNulls (right 0.1.0): 1 defect breaks the protocol\n"


def test_quiet_and_verbose_exclude_each_other(cli: Cli) -> None:
    ended = cli(*FAULTY, "-q", "-v")
    assert ended.code == 2
    assert "--quiet or --verbose" in ended.err


def test_nothing_that_is_piped_has_an_escape_code(cli: Cli) -> None:
    for options in ((), ("-v",), ("-n", "2")):
        ended = cli(*FAULTY, *options, TERM="xterm-256color")
        assert "\x1b" not in ended.out + ended.err
        assert max(map(len, _tables(ended.out))) <= 100


def _tables(text: str) -> list[str]:
    return [line for line in text.splitlines() if line[:1] in "┏┃┡│├└"]


def test_closing_tables_fit_whatever_is_in_them() -> None:
    many = tally(
        *(
            verdict(name, shape=f"{name}{n}", rule=f"client-coordinators.a-rule-of-a-long-name-{n}")
            for name in ("pass", "note", "fail", "crash", "hang", "unsupported", "not-proven")
            for n in range(3)
        )
    )
    for name in many.verdicts:
        many.verdicts[name] = 1_234_567
    many.groups = {"client-coordinators": many.verdicts.copy()}
    target = "kafka-wire-protocol@0.12.3-of-a-long-name"
    outcome = "123456 of 1234567 cases failed, 123 rules broken, 45 findings"
    rows = [(target, many, outcome), ("small", None, "not judged: no Java")]
    for text in (printed(show_groups, many), printed(show_counts, rows), printed(show_rules, many)):
        assert max(map(len, text.splitlines())) <= 100
        assert "…" not in text


def completions(*words: str) -> list[str]:
    """What bash is told when the last of these words is to be completed."""
    typed = ["kafka-conformance", *words]
    asked = {"_KAFKA_CONFORMANCE_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(typed)}
    done = subprocess.run(
        COMMAND,
        env=environment(**asked, COMP_CWORD=str(len(words))),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("co",), {"codec", "compare", "convert"}),
        (("--vers",), {"--version"}),
        (("schema", "li"), {"lint", "list"}),
        (("codec", "kafka-cl"), {"kafka-clients"}),
        (("codec", "ref"), {"reference", "reference-lenient"}),
        (("client", "ref"), {"reference"}),
        (("codec", "kio", "--rule", "tags.asc"), {"tags.ascending"}),
        (("broker", "localhost:9092", "--class", "m"), {"must"}),
        (("codec", "kio", "--message", "Leader"), {"LeaderAndIsrRequest", "LeaderAndIsrResponse"}),
        (("codec", "kio", "--jun"), {"--junit"}),
        (("codec", "kio", "--annotate", "g"), {"github"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_shell_is_told_what_may_follow(words: tuple[str, ...], offered: set[str]) -> None:
    assert offered <= set(completions(*words))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script(shell: str) -> None:
    done = subprocess.run(
        COMMAND,
        env={**os.environ, "_KAFKA_CONFORMANCE_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "_KAFKA_CONFORMANCE_COMPLETE" in done.stdout
