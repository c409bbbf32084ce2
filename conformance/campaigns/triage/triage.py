"""Broken verdicts of many runs and targets, grouped into few causes with their targets.

In one run the causes are those of its findings (`reporting.findings`). The keys there name no
target, so that the same keys also show what two targets have in common:

    diagnosed   one diagnosis explains both. The gate's rest on most evidence: what one explains at
                a field, it explains in the same target's campaigns as well. Where no run of the
                gate explains a field, a campaign's own diagnosis counts;
    taken       both took what the same rules have refused;
    in kind     both read or wrote something else at fields of one type, in one way, under the same
                rules, or at one field of one message;
    in words    both refused or ended with the same words. Words are the target's own or its
                language's, and "index out of range" is no cause that two codecs share. So they
                count between versions of one target, and between others under the same rules only.

Verdicts are read as a stream. Memory grows with the sorts of failure, the targets and the runs: for
each it holds the smallest case, and the smallest that is bytes to be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.campaigns.storage.compare_sources import NotComparable, StoredRun, sources
from conformance.reporting.findings import Cause, Causes
from conformance.reporting.sorts import Key, linked
from conformance.results.command_lines import case_line, given, with_options, words_of
from conformance.results.files import read_lines
from conformance.results.lines import BROKEN, Finding, Run, Verdict

Sort = tuple[Key, tuple[Key, ...]]
"""The rules that a case broke, and the keys that it shares with others of one cause."""
Who = tuple[str, str]
"""A target's name and the version that it reports."""
READING = frozenset({"decode", "roundtrip", "decode-request", "decode-response"})
_ABOUT_RULES = frozenset({"taken", "rules", "field", "diagnosed"})


@dataclass(frozen=True, slots=True)
class GivenRun:
    """A run that was given: its path, its verdicts, and its findings."""

    path: Path
    source: StoredRun
    findings: tuple[Finding, ...]

    @property
    def run(self) -> Run:
        """The header of the run: its target and its start, among others."""
        return self.source.run

    @property
    def who(self) -> Who:
        """The target that it judged, with its version."""
        return self.run.target, self.run.target_version

    @property
    def is_diagnosed(self) -> bool:
        """True if it is a run of the gate whose findings were compared with known defects."""
        return not self.is_campaign and any(each.diagnosis for each in self.findings)

    @property
    def is_campaign(self) -> bool:
        """True if its cases were generated."""
        return "seed" in self.run.selection

    def diagnosis(self, rules: Key) -> str:
        """Return the diagnosis of a case that broke these rules, "" if there is none.

        A finding names all rules of its cases. If two findings that have all of these rules have
        different diagnoses, it is unknown which of them is meant.
        """
        own = {each.diagnosis for each in self.findings if set(rules) <= set(each.every_rule)}
        return own.pop() if len(own) == 1 else ""

    def again(self, verdict: Verdict) -> str:
        """Return the command that judges a case of this run once more."""
        for each in self.findings:
            if verdict.case == each.case:
                return each.reproduce
        if self.is_campaign:
            words = with_options(words_of("campaign", self.run.target), _chosen(self.run))
            return case_line(words, verdict.case)
        options = given({"--profile": self.run.profile})
        return case_line(with_options(words_of("codec", self.run.target), options), verdict.case)


@dataclass(slots=True)
class TriagedCause:
    """The cases of one cause in one run."""

    given: GivenRun
    cause: Cause
    readable: Cause | None = None
    """The cases among them that are bytes to be read."""

    def add(self, other: TriagedCause) -> None:
        """Add the counts of another cause of the same run."""
        self.cause.add(other.cause)
        if other.readable is not None:
            self.readable = self.readable or Cause()
            self.readable.add(other.readable)


@dataclass(slots=True)
class Affected:
    """One target that has a defect, with its cases by run."""

    who: Who
    counted: list[TriagedCause] = field(default_factory=list)

    @property
    def cases(self) -> int:
        """The number of cases, in all runs."""
        return sum(_finding(each.cause).count for each in self.counted)

    @property
    def started(self) -> list[str]:
        """Return the times at which the runs that saw the cause began, the earliest first."""
        return sorted(each.given.run.started for each in self.counted)

    @property
    def smallest(self) -> tuple[GivenRun, Verdict]:
        """The smallest case and its run; a case that is bytes to be read, if there is any."""
        readable = [(each.given, each.readable) for each in self.counted if each.readable]
        found = readable or [(each.given, each.cause) for each in self.counted]
        given, cause = min(found, key=lambda pair: _size(pair[1].smallest))
        return given, cause.smallest


@dataclass(frozen=True, slots=True)
class TriagedDefect:
    """One cause: its description, its rules, and the targets that have it."""

    what: str
    rules: tuple[str, ...]
    class_: str
    diagnosis: str
    affected: tuple[Affected, ...]

    @property
    def cases(self) -> int:
        """The number of cases, of all targets and runs."""
        return sum(each.cases for each in self.affected)


def given_runs(paths: Iterable[Path], anyway: bool = False) -> list[GivenRun]:
    """Return the runs in these files and folders, each path once.

    Raises NotComparable, also if they were judged by different suites; ResultsError, TableError.
    """
    places = dict.fromkeys(path.resolve() for path in paths)
    found = [_given(path, source) for path in places for source in sources(path).values()]
    suites = sorted({each.run.suite_version for each in found})
    if len(suites) > 1 and not anyway:
        hint = "--anyway takes them all the same"
        raise NotComparable(f"runs of different suites: {', '.join(suites)}", hint)
    return found


def _given(path: Path, source: StoredRun) -> GivenRun:
    lines = () if path.is_dir() else read_lines(path)
    return GivenRun(path, source, tuple(line for line in lines if isinstance(line, Finding)))


def defects(given: Sequence[GivenRun]) -> list[TriagedDefect]:
    """Return all causes, those of most targets first. Raises ResultsError, TableError."""
    sorts: dict[Sort, list[TriagedCause]] = {}
    explained = _Explained()
    for each in sorted(given, key=lambda each: not each.is_diagnosed):
        for (rules, keys), counted in _counted(each):
            told = explained.keys(each, rules, keys) or _across(keys, rules, each.run.target)
            sorts.setdefault((rules, told), []).append(counted)
    found = [_defect(group) for group in _grouped(sorts)]
    return sorted(found, key=lambda each: (-len(each.affected), -each.cases, each.rules, each.what))


class _Explained:
    """The diagnoses by target and field."""

    def __init__(self) -> None:
        self._fields: dict[tuple[Who, Key], set[str]] = {}

    def keys(self, given: GivenRun, rules: Key, keys: tuple[Key, ...]) -> tuple[Key, ...]:
        """Return the key of a sort that has one diagnosis, no key for another sort."""
        fields = [(given.who, key) for key in keys if key[0] == "field"]
        if given.is_diagnosed:
            found = {given.diagnosis(rules)}
            for each in fields:
                self._fields.setdefault(each, set()).update(found)
        else:
            found = {text for each in fields for text in self._fields.get(each, ())}
            found = found or {given.diagnosis(rules)}
        return (("diagnosed", *found),) if len(found) == 1 and "" not in found else ()


class _Sorts(Causes):
    """The sorts of failure of one run, each with its cases."""

    def sorts(self) -> dict[Sort, Cause]:
        self._close_case()
        return self._sorts


def _counted(given: GivenRun) -> Iterator[tuple[Sort, TriagedCause]]:
    """Yield the sorts of failure of one run."""
    whole, readable = _Sorts(), _Sorts()
    for verdict in given.source.verdicts():
        if verdict.verdict in BROKEN:
            whole.take(verdict)
            if is_readable(verdict):
                readable.take(verdict)
    to_read = readable.sorts()
    for sort, cause in whole.sorts().items():
        yield sort, TriagedCause(given, cause, to_read.get(sort))


def is_readable(verdict: Verdict) -> bool:
    """True if the case is bytes to be read by a codec."""
    empty = verdict.input is None and verdict.op == "decode"
    return verdict.op in READING and (isinstance(verdict.input, str) or empty)


def _across(keys: tuple[Key, ...], rules: Key, target: str) -> tuple[Key, ...]:
    """Return keys that mean the same for every target."""
    if keys[0][0] in _ABOUT_RULES:
        return keys
    name = target.partition("@")[0]
    return tuple(key for words in keys for key in (("of", name, *words), ("by", *words, *rules)))


def _grouped(
    sorts: Mapping[Sort, list[TriagedCause]],
) -> Iterator[list[tuple[Sort, list[TriagedCause]]]]:
    """Yield the sorts of one cause together."""
    stand_ins = [Cause() for _ in sorts]
    of = dict(zip(map(id, stand_ins), sorts.items(), strict=True))
    keys = [(keys, cause) for (_, keys), cause in zip(sorts, stand_ins, strict=True)]
    for group in linked(keys):
        yield [of[id(cause)] for cause in group]


def _defect(group: Sequence[tuple[Sort, list[TriagedCause]]]) -> TriagedDefect:
    whole = Cause()
    affected: dict[Who, Affected] = {}
    for each in (counted for _, of_sort in group for counted in of_sort):
        whole.add(each.cause)
        one = affected.setdefault(each.given.who, Affected(each.given.who))
        known = next((other for other in one.counted if other.given is each.given), None)
        if known is None:
            one.counted.append(each)
        else:
            known.add(each)
    key = group[0][0][1][0]
    said = _finding(whole)
    return TriagedDefect(
        what=said.cause,
        rules=tuple(said.rules),
        class_=whole.smallest.class_,
        diagnosis=key[1] if key[0] == "diagnosed" else "",
        affected=tuple(affected[who] for who in sorted(affected)),
    )


def _finding(cause: Cause) -> Finding:
    return cause.finding("", again=lambda case: case)


def _size(verdict: Verdict) -> tuple[int, str]:
    return len(str(verdict.input or "")), verdict.case


def _chosen(run: Run) -> list[str]:
    """Return the options that the number of a campaign's case depends on."""
    options = [text for name in run.selection.get("messages", ()) for text in ("--message", name)]
    for number in run.selection.get("versions", ()):
        options += ["--api-version", str(number)]
    return options + given({"--profile": run.profile})
