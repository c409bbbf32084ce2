"""A whole run: targets opened, pytest started on the gate, its results put together and shown.

pytest is the runner and this is what stands around it. The exit code comes from the verdicts, not
from pytest: 0 nothing unexpected, 1 a rule broken that was not known to be, 3 no target or nothing
judged, 130 interrupted.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from conformance import __version__, pytest_plugin
from conformance.checks.gate import Gate, NothingSelected, Settings, to_json
from conformance.checks.progress import ProgressPlugin
from conformance.data import data_root
from conformance.errors import UNREACHABLE
from conformance.protocol import Hello
from conformance.reporting.console import Tally, progress, show_findings, show_groups, show_matrix
from conformance.reporting.findings import find_causes
from conformance.results.files import read_verdicts, write_results
from conformance.results.known import Expectations, Known, known_of, read_known
from conformance.results.lines import BROKEN, Finding, Run, Summary, Verdict
from conformance.targets.errors import TargetError, ToolchainMissing

INTERRUPTED = 130
BROKEN_RULE = 1
BUNDLED = "bundled"


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line was given; `timeout` in seconds, `memory` in MiB."""

    rules: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    cases: tuple[str, ...] = ()
    timeout: float = 10.0
    memory: int = 2048
    profile: str = "spec"
    known: str | None = None
    update_known: bool = False
    results: Path | None = None
    junit: Path | None = None
    allure: Path | None = None
    workers: str = "0"
    keyword: str = ""
    skip_missing: bool = False
    verbose: bool = False

    @property
    def partial(self) -> bool:
        """Whether only a part of the suite is run."""
        chosen = (self.rules, self.classes, self.messages, self.versions, self.cases, self.keyword)
        return any(chosen)


@dataclass(slots=True)
class Judged:
    """One target's run."""

    tally: Tally
    exit_code: int
    outcome: str


def judge_targets(
    specs: Sequence[str], program: Sequence[str], options: Options, console: Console
) -> int:
    """Judge every target and print what each gets; returns the exit code of the worst."""
    names = list(specs) or [f"-- {shlex.join(program)}"]
    rows: list[tuple[str, Tally | None, str]] = []
    worst = 0
    for name in names:
        spec = None if program else name
        try:
            judged = _judge(name, _settings(spec, program, options), options, console)
        except ToolchainMissing as error:
            if not options.skip_missing:
                raise
            console.print(f"{name}: not judged: {error}", soft_wrap=True)
            rows.append((name, None, f"not judged: {error.message}"))
            continue
        rows.append((name, judged.tally, judged.outcome))
        worst = max(worst, judged.exit_code)
        if judged.exit_code == INTERRUPTED:
            break
    if len(names) > 1:
        show_matrix(console, rows)
    if not any(tally for _, tally, _ in rows):
        return UNREACHABLE
    return worst


def _settings(spec: str | None, program: Sequence[str], options: Options) -> Settings:
    return Settings(
        spec=spec,
        command=tuple(program),
        profile=options.profile,
        rules=options.rules,
        classes=options.classes,
        messages=options.messages,
        versions=options.versions,
        cases=options.cases,
        timeout_s=options.timeout,
        memory_mib=options.memory,
        parts=tempfile.mkdtemp(prefix="kafka-conformance-"),
    )


def _judge(name: str, settings: Settings, options: Options, console: Console) -> Judged:
    parts = Path(settings.parts)
    try:
        known = _known_entries(name, options)
        settings.selection()
        started, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        hello, lost, stopped = _run_pytest(name, settings, options, console)
        run = _header(name, hello, options, started)
        seconds = time.monotonic() - clock
        return _conclude(name, run, parts, known, options, console, seconds, lost, stopped)
    finally:
        shutil.rmtree(parts, ignore_errors=True)


def _run_pytest(
    name: str, settings: Settings, options: Options, console: Console
) -> tuple[Hello, str, bool]:
    """Run the gate; returns the target's hello, why it was lost, and whether it was stopped."""
    target = settings.open()
    hello = target.hello
    if options.workers == "0":
        pytest_plugin.OPENED[settings] = target
    gate = Gate(Settings(**{f: getattr(settings, f) for f in _SELECTING}), target)
    expected = len(gate.groups(hello))
    if options.workers != "0":
        target.close()
    if not expected:
        target.close()
        raise NothingSelected(
            f"{name} has nothing of what was selected", "widen the selection, or see its hello"
        )
    try:
        with progress(console) as bar:
            task = bar.add_task(name, total=expected)
            plugin = ProgressPlugin(lambda: bar.advance(task))
            code = pytest.main(_arguments(settings, options), plugins=[plugin])
    finally:
        pytest_plugin.OPENED.pop(settings, None)
        target.close()
    stopped = code == pytest.ExitCode.INTERRUPTED and not plugin.lost
    lost = plugin.lost
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR) and not lost:
        lost = plugin.internal_error or "pytest could not run"
    return hello, lost, stopped


_SELECTING = (
    "spec",
    "command",
    "profile",
    "rules",
    "classes",
    "messages",
    "versions",
    "cases",
    "timeout_s",
    "memory_mib",
)


def _arguments(settings: Settings, options: Options) -> list[str]:
    """pytest's command line: our items and plugin, and nothing of the folder it happens to run in."""
    arguments = [
        "--pyargs",
        "conformance.checks.codec",
        "-p",
        "conformance.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "-c",
        "/dev/null",
        "--rootdir",
        settings.parts,
        "--noconftest",
        "-q",
        "--kafka-settings",
        to_json(settings),
    ]
    if options.workers != "0":
        arguments += ["-n", options.workers, "--dist", "loadgroup"]
    if options.keyword:
        arguments += ["-k", options.keyword]
    if options.junit:
        arguments.append(f"--junitxml={options.junit.absolute()}")
    if options.allure:
        arguments.append(f"--alluredir={options.allure.absolute()}")
    return arguments


def _header(name: str, hello: Hello, options: Options, started: str) -> Run:
    selection = {
        "rules": options.rules,
        "classes": options.classes,
        "messages": options.messages,
        "versions": options.versions,
        "cases": options.cases,
    }
    return Run(
        target=name,
        target_version=f"{hello.name} {hello.version}",
        language=hello.language,
        definitions=hello.definitions,
        suite_version=__version__,
        profile=options.profile,
        started=started,
        selection={key: list(value) for key, value in selection.items() if value},
    )


def _conclude(
    name: str,
    run: Run,
    parts: Path,
    known: list[Known],
    options: Options,
    console: Console,
    seconds: float,
    lost: str,
    stopped: bool,
) -> Judged:
    """Merge the parts, hold them against what is known, write the results, and show them."""
    tally, expectations = (
        Tally(f"{name} ({run.target_version})"),
        Expectations(known, options.partial),
    )
    broken: list[Verdict] = []
    for verdict in _verdicts(parts):
        tally.take(verdict)
        expectations.take(verdict)
        if verdict.verdict in BROKEN:
            broken.append(verdict)
    if options.update_known:
        _write_known(name, options, broken, known)
        expectations = Expectations([])
    findings = find_causes(broken, name)
    code = _exit_code(tally, expectations, lost, stopped)
    if options.results:
        summary = Summary(
            cases=tally.cases,
            verdicts=dict(tally.verdicts),
            seconds=round(seconds, 3),
            exit_code=code,
        )
        closing = None if stopped or lost else summary
        write_results(options.results, run, _verdicts(parts), findings, closing)
    _show(console, tally, findings, expectations, options, seconds)
    outcome = _in_words(code, tally, expectations, lost)
    console.print(f"{name}: {outcome}", soft_wrap=True)
    return Judged(tally, code, outcome)


def _verdicts(parts: Path) -> Iterator[Verdict]:
    return read_verdicts(sorted(parts.glob("*.ndjson")))


def _show(
    console: Console,
    tally: Tally,
    findings: list[Finding],
    expectations: Expectations,
    options: Options,
    seconds: float,
) -> None:
    fresh = {verdict.case for verdict in expectations.unexpected}
    shown = [finding for finding in findings if options.verbose or finding.case in fresh]
    show_findings(console, shown, tally.examples, options.verbose)
    show_groups(console, tally)
    rate = tally.cases / seconds if seconds else 0
    console.print(f"{tally.cases} cases in {seconds:.1f} s ({rate:.0f} a second)")
    for entry in expectations.stale:
        console.print(f"known to fail, and did not: {entry}", soft_wrap=True)


def _exit_code(tally: Tally, expectations: Expectations, lost: str, stopped: bool) -> int:
    if stopped:
        return INTERRUPTED
    if lost or tally.verdicts["error"]:
        return UNREACHABLE
    if expectations.unexpected or expectations.stale:
        return BROKEN_RULE
    return 0 if tally.verdicts["pass"] else UNREACHABLE


def _in_words(code: int, tally: Tally, expectations: Expectations, lost: str) -> str:
    broken = sum(tally.verdicts[name] for name in BROKEN)
    if code == INTERRUPTED:
        return "interrupted; what was judged so far is kept"
    if lost:
        return f"not judged to the end: {lost}"
    if tally.verdicts["error"]:
        return f"{tally.verdicts['error']} errors of the adapter or the suite"
    if expectations.unexpected:
        return f"{len(expectations.unexpected)} failures" + (
            f" not known before, {broken} in all" if expectations.entries else ""
        )
    if expectations.stale:
        return f"{len(expectations.stale)} known failures did not happen: --update-known"
    if code:
        return "nothing passed"
    return f"{broken} known failures, nothing new" if broken else "no failure"


def _known_file(name: str, options: Options) -> Path | None:
    if options.known != BUNDLED:
        return Path(options.known) if options.known else None
    adapter = name.partition("@")[0]
    file = data_root() / "adapters" / adapter / "known.toml"
    return Path(str(file)) if file.is_file() or options.update_known else None


def _known_entries(name: str, options: Options) -> list[Known]:
    file = _known_file(name, options)
    if file is None or (options.update_known and not file.exists()):
        return []
    return read_known(file)


def _write_known(
    name: str, options: Options, broken: Sequence[Verdict], earlier: Sequence[Known]
) -> None:
    file = _known_file(name, options)
    assert file is not None
    if broken:
        file.write_text(known_of(broken, earlier), "utf-8")
    else:
        file.unlink(missing_ok=True)


__all__ = ["Judged", "Options", "TargetError", "judge_targets"]
