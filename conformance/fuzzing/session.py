"""A whole fuzzing session: seeds, campaign, triage, and what is shown and written in the end."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import msgspec
from rich.console import Console

from conformance.codecs.resolve import OUR_OWN, open_target
from conformance.data import vector_messages
from conformance.errors import BROKEN_RULE, ConformanceError, NothingSelected
from conformance.fuzzing.campaign import FuzzCampaign, FuzzProgress
from conformance.fuzzing.inputs import seeds, split
from conformance.fuzzing.process import fuzz as fuzz_in_process
from conformance.fuzzing.settings import FuzzSettings
from conformance.fuzzing.triage import Triage, triage, verdicts_on_input
from conformance.fuzzing.unconfirmed import (
    keep_unconfirmed,
    outcome,
    show_unconfirmed,
    unconfirmed_in_words,
)
from conformance.reporting.closing_block import (
    ClosingBlock,
    defects_of,
    list_command,
)
from conformance.reporting.console import show_findings
from conformance.results.closing import exit_code, header, now
from conformance.results.command_lines import program_of
from conformance.results.files import write_results
from conformance.results.lines import BROKEN, Run, Summary
from conformance.results.text import counted, failure_text
from conformance.targets import registry
from conformance.targets.errors import TargetNotFound, did_you_mean
from conformance.testee_protocol import Target

SITE_PACKAGES = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"


@dataclass(frozen=True, slots=True)
class FuzzOptions:
    """The options of the command line; `time` and `timeout` in seconds, `memory` in MiB."""

    folder: Path
    time: float = 60.0
    jobs: int = 1
    messages: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    structure: bool = True
    merge: tuple[Path, ...] = ()
    seed: int = 1
    profile: str = "spec"
    timeout: float = 10.0
    memory: int = 2048
    results: Path | None = None
    verbose: bool = False


def fuzz(name: str, options: FuzzOptions, console: Console) -> int:
    """Fuzz a codec, judge what was suspicious, show what was found; the exit code."""
    check_messages(options.messages)
    settings = settings_of(
        name,
        FuzzSettings(
            folder=str(options.folder.absolute()),
            structure=options.structure,
            memory_mib=options.memory,
            seed=options.seed,
        ),
    )
    target = opened(name, options.timeout, options.memory)
    campaign = FuzzCampaign(settings, options.jobs)
    declared = target.hello.messages
    wanted = [each for each in options.messages or vector_messages() if each in declared]
    if not wanted:
        raise NothingSelected("the target has none of these messages", "see its hello")
    if campaign.is_new:
        campaign.add(seeds(wanted, frozenset(options.versions) or None))
    if options.merge:
        campaign.merge(options.merge)
    interrupted = False
    with target:
        try:
            campaign.run(options.time, lambda progress: _show_progress(console, progress))
        except KeyboardInterrupt:
            interrupted = True
        if not campaign.progress.executions:
            raise ConformanceError("nothing was executed", f"see {options.folder / 'logs'}")
        started = now()
        found = triage(campaign.suspected(), target, name, options.profile)
        for each in found.refuted:
            campaign.forget(each)
        selected = {"messages": list(options.messages), "versions": list(options.versions)}
        run = header(name, target.hello, options.profile, started, selected)
    code = exit_code(
        interrupted=interrupted,
        unfinished=False,
        broken=bool(found.findings),
        judged=True,
        unconfirmed=bool(found.unconfirmed),
    )
    _write(run, found, campaign.progress, options, code)
    _show(run, found, campaign.progress, options, console)
    return code


def replay(name: str, data: bytes, options: FuzzOptions, console: Console) -> int:
    """Judge one input, show the result, and return the exit code."""
    if split(data) is None:
        raise ConformanceError("this is no input of a fuzzing run", "give the hex of a finding")
    with opened(name, options.timeout, options.memory) as target:
        verdicts = verdicts_on_input(data, target, options.profile)
    if not verdicts:
        raise NothingSelected("the target has no such message or version", "see its hello")
    for verdict in verdicts:
        console.print(failure_text(verdict), soft_wrap=True, markup=False)
    return BROKEN_RULE if any(each.verdict in BROKEN for each in verdicts) else 0


def fuzz_alone(name: str, arguments: list[str]) -> None:
    """Fuzz a codec in this process, by libFuzzer's options; whatever is suspicious ends it."""
    fuzz_in_process(settings_of(name, FuzzSettings()), arguments)


def settings_of(name: str, settings: FuzzSettings, place: Path | None = None) -> FuzzSettings:
    """Return the settings with which a fuzzing process opens this codec. Raises TargetError.

    A user's own codec is looked up in the folder `place`, or in the current one.
    """
    kind, _, rest = name.partition(":")
    if program_of(name):
        return _with(settings, remote=name, path=(str(place or Path.cwd()),))
    if name.partition("@")[0] in OUR_OWN:
        return settings
    if kind == "mutant":
        return _with(settings, mutant=rest)
    if rest:
        return _with(settings, codec=name, path=(str(place or Path.cwd()),))
    adapter, version = registry.find(*_name_and_version(name))
    if adapter.language != "python":
        return _with(settings, remote=name)
    folder = registry.build(adapter, version)
    packages = str(folder / ".venv" / SITE_PACKAGES)
    return _with(settings, codec=adapter.start_command[-1], path=(str(folder), packages))


def _with(settings: FuzzSettings, **changes: object) -> FuzzSettings:
    return msgspec.structs.replace(settings, **changes)


def _name_and_version(name: str) -> tuple[str, str | None]:
    name, _, version = name.partition("@")
    return name, version or None


def opened(name: str, timeout_s: float, memory_mib: int) -> Target:
    """The target in a process of its own, which what was suspected is asked of again.

    Raises TargetError.
    """
    kind, _, rest = name.partition(":")
    if kind == "mutant":
        return _mutant(rest)
    return open_target(name, timeout_s=timeout_s, memory_mib=memory_mib)


def _mutant(name: str) -> Target:
    from conformance.codecs.mutants import mutants
    from conformance.codecs.testee.in_process import ObjectTarget

    if name not in mutants():
        raise TargetNotFound(f"there is no mutant {name!r}", did_you_mean(name, mutants()))
    return ObjectTarget(mutants()[name]())


def check_messages(messages: tuple[str, ...]) -> None:
    """Raise NothingSelected if one of the messages has no vectors."""
    unknown = [each for each in messages if each not in vector_messages()]
    if unknown:
        near = did_you_mean(unknown[0], vector_messages())
        hint = near or "`kafka-conformance vectors list` lists them"
        raise NothingSelected(f"no message {unknown[0]!r}", hint)


def _write(
    run: Run, found: Triage, progress: FuzzProgress, options: FuzzOptions, code: int
) -> None:
    folder = options.folder / "findings"
    folder.mkdir(mode=0o700, exist_ok=True)
    for name, data in found.inputs.items():
        (folder / name.rpartition("/")[2]).write_bytes(data)
    keep_unconfirmed(options.folder, found.unconfirmed)
    summary = Summary(
        cases=len(found.inputs),
        verdicts=dict(Counter(each.verdict for each in found.verdicts)),
        seconds=round(progress.seconds, 3),
        exit_code=code,
        notes=[_in_words(progress), *unconfirmed_in_words(found.unconfirmed)],
    )
    write_results(_results(options), run, found.verdicts, found.findings, summary)


def _results(options: FuzzOptions) -> Path:
    return options.results or options.folder / "results.ndjson"


def _show_progress(console: Console, progress: FuzzProgress) -> None:
    if console.is_terminal:
        console.print(f"{progress.seconds:.0f} s: {_in_words(progress)}", soft_wrap=True)


def _in_words(progress: FuzzProgress) -> str:
    return (
        f"{progress.executions:,} executions, {progress.rate:,.0f} a second, "
        f"{progress.edges:,} edges of code, {progress.corpus:,} inputs in the corpus, "
        f"{progress.reached:,} features of the definitions"
    )


def _show(
    run: Run, found: Triage, progress: FuzzProgress, options: FuzzOptions, console: Console
) -> None:
    if options.verbose:
        show_findings(console, found.findings, {each.case: each for each in found.verdicts})
    results = str(_results(options))
    defects = defects_of(found.findings, results)
    ClosingBlock(
        headline=f"{run.name}: {outcome(defects, found.unconfirmed)}",
        measured=f"{_in_words(progress)}; {counted(progress.restarts, 'restart')}",
        defects=defects,
        list_command=list_command(results) if defects else "",
    ).show(console)
    show_unconfirmed(console, run.target, found.unconfirmed, options.profile)
    console.print(f"kept in {options.folder}", soft_wrap=True, markup=False)


__all__ = ["FuzzOptions", "check_messages", "fuzz", "fuzz_alone", "opened", "replay", "settings_of"]
