"""The end of every run: at most ten lines of 80 columns, which say what to mend first.

    kio 0.6.5: 3 defects break the protocol, 1 can end its process
    172,056 cases of 190 messages in 34 s
    157 of 191 rules decided; 34 lack what they ask for
    mend first
     1 must   refuses a message that holds a tag it does not know (3,338 cases)
              kafka-conformance findings last 1
    ...
    and 8 more, 2 of them harden: kafka-conformance findings last

A command stands on a line of its own and is never cut, so that it can be copied. If a line is too
long for 80 columns and continues in the next, the last defects are shown without their commands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten, wrap

from rich.console import Console
from rich.text import Text

from conformance.reporting.breaches import in_a_clause
from conformance.results.command_lines import command_line
from conformance.results.lines import Finding
from conformance.results.text import counted

WIDTH = 80
MOST_LINES = 10
MOST = 3
"""The most defects that are shown; the others are counted."""
_INDENT = " " * 10
_STYLES = {
    "must": "red",
    "crash": "bold red",
    "hang": "magenta",
    "harden": "yellow",
    "kafka": "cyan",
}
_SAID = {
    "must": "{} break{} the protocol",
    "crash": "{} can end its process",
    "hang": "{} can hang it",
    "harden": "{} lack{} a guard against bad input",
    "kafka": "{} differ{} from Apache Kafka",
}


@dataclass(frozen=True, slots=True)
class Defect:
    """One cause of failure: a clause about it, its count, and the command that shows it."""

    kind: str
    """`must`, `crash`, `hang`, `harden` or `kafka`."""
    text: str
    count: str
    """The count with its unit: `3,338 cases`."""
    command: str
    ends: str = ""
    """`crash` or `hang`, if the defect causes that as well."""


@dataclass(frozen=True, slots=True)
class ClosingBlock:
    """The block that closes a run. `defects` are those to mend, the gravest first.

    `headline` is the outcome in a line, `measured` the cases and the time, and `decided` how many
    rules were decided. `left` says how much was not judged, and why, and `noted` what was broken
    and is not charged. `known` names the known failures. `list_command` shows all findings.
    """

    headline: str
    measured: str
    defects: Sequence[Defect] = ()
    known: str = ""
    list_command: str = ""
    decided: str = ""
    left: str = ""
    noted: str = ""

    def lines(self) -> list[str]:
        """Return the lines, of no more than 80 columns except for commands."""
        return [line.plain for line in self.texts()]

    def show(self, console: Console) -> None:
        """Print the block, with colours if the console has them."""
        for line in self.texts():
            console.print(line, soft_wrap=True)

    def texts(self) -> list[Text]:
        """Return the lines with their colours."""
        found = [Text(line, "bold") for line in _wrapped(self.headline)]
        found += map(Text, [*self._took(), *_wrapped(self.left), *_wrapped(self.noted)])
        if self.defects:
            found.append(Text("mend first", "bold"))
        end = [Text(shorten(self.known, WIDTH, placeholder=" …"))] if self.known else []
        shown = self._shown(MOST_LINES - len(found) - len(end) - bool(self.list_command))
        found += [line for lines in shown for line in lines]
        if self.list_command:
            end.append(Text(self._more(len(shown)) + self.list_command))
        return found + end

    def _took(self) -> list[str]:
        """Return the lines `measured` and `decided`, as one line if both have room."""
        both = "; ".join(filter(None, (self.measured, self.decided)))
        if len(both) <= WIDTH:
            return [both]
        return [line for text in (self.measured, self.decided) for line in _wrapped(text)]

    def _shown(self, room: int) -> list[list[Text]]:
        """Return the lines of each defect that is shown, as many as have room.

        At least one is shown; the last ones lose their commands before one is left out.
        """
        every = [_lines(number, each) for number, each in enumerate(self.defects[:MOST], 1)]
        bare = [lines for lines, _ in every]
        while len(bare) > 1 and sum(map(len, bare)) > room:
            bare.pop()
        room -= sum(map(len, bare))
        shown = []
        for lines, (_, command) in zip(bare, every, strict=False):
            fits = command[:room] if self.list_command else command
            shown.append(lines + fits)
            room -= len(fits)
        return shown

    def _more(self, shown: int) -> str:
        """Return words about the defects that are not shown, with the kinds that bind less."""
        more = self.defects[shown:]
        if not more:
            return "all of it: "
        kinds = Counter(each.kind for each in more)
        less = [f"{kinds[kind]} of them {kind}" for kind in ("harden", "kafka") if kinds[kind]]
        return f"{', '.join([f'and {len(more)} more', *less])}: "


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _fitted(text: str, room: int) -> str:
    """Return the text, or its first clauses that fit a line; all of it if no comma helps."""
    if len(text) <= room:
        return text
    clauses = text[: room + 1].rpartition(", ")[0]
    is_whole = len(clauses) > room // 3 and clauses.count("(") == clauses.count(")")
    return clauses if is_whole else text


def _lines(number: int, defect: Defect) -> tuple[list[Text], list[Text]]:
    """Return the lines about a defect, which no line cuts, and its command."""
    count = f"({defect.count})"
    said = _fitted(defect.text, WIDTH - len(_INDENT) - len(count) - 1)
    first, *others = wrap(f"{said} {count}", WIDTH - len(_INDENT), break_on_hyphens=False)
    line = Text(f"{number:>2} ")
    line.append(f"{defect.kind:<6}", _STYLES.get(defect.kind, ""))
    line.append(f" {first}")
    told = [line, *(Text(_INDENT + other) for other in others)]
    return told, [Text(_INDENT + defect.command, "dim")] if defect.command else []


def list_command(results: str, number: int | None = None) -> str:
    """Return the command that shows all findings of a results file, or the one of this number."""
    return command_line(["findings", results, *([] if number is None else [str(number)])])


def defects_of(findings: Iterable[Finding], results: str = "", unit: str = "case") -> list[Defect]:
    """Return the defects of findings, each with its count in a `unit`.

    Each is shown by its own command; if that is too long for a line, by its number in the file of
    `results`, if there is one.
    """
    return [
        Defect(
            finding.kind,
            in_a_clause(finding),
            counted(finding.count, unit),
            _command(finding, number, results),
            finding.ends,
        )
        for number, finding in enumerate(findings, 1)
    ]


def _command(finding: Finding, number: int, results: str) -> str:
    fits = 0 < len(finding.reproduce) <= WIDTH - len(_INDENT)
    return finding.reproduce if fits or not results else list_command(results, number)


def outcome_of(defects: Sequence[Defect], *, new: bool = False) -> str:
    """Return the number of defects of each kind, the gravest first: `3 defects break the protocol`.

    With `new` they are called new, since other failures are known. One that breaks the protocol and
    ends the target counts once, as the former.
    """
    kinds = Counter(each.kind for each in defects)
    as_well = Counter(each.ends for each in defects if each.ends not in ("", each.kind))
    said: list[str] = []
    for kind, words in _SAID.items():
        if number := kinds[kind]:
            what = counted(number, "new defect" if new else "defect") if not said else str(number)
            said.append(words.format(what, "s" if number == 1 else ""))
    if as_well and len(defects) == 1:
        said += [f"{said.pop()}{_SAID[kind].format(' and', '')}" for kind in as_well]
    elif as_well:
        of_these = [_SAID[kind].format(f"{as_well[kind]} of them", "") for kind in as_well]
        said[0] += f" and {' and '.join(of_these)}"
    return ", ".join(said)


def measured(
    cases: int,
    messages: int,
    seconds: float,
    unasked: int | None,
    lacking: Mapping[str, int] | None = None,
) -> str:
    """Return the size of a run, and how many of its cases could not be asked, if that is known.

    `lacking` says of how many of those what, such as `the adapter lacks`. Without
    `messages` and `seconds` where they are not known, or say nothing.
    """
    said = counted(cases, "case")
    said += f" of {counted(messages, 'message')}" if messages else ""
    said += f" in {duration(seconds)}" if seconds else ""
    if unasked:
        counts = {clause: count for clause, count in (lacking or {}).items() if count}
        who = [f"{clause} {count:,}" for clause, count in counts.items()]
        if len(who) == 1:
            who = [f"{clause} what they ask for" for clause in counts]
        because = f": {', '.join(who)}" if who else ""
        return f"{said}; {unasked:,} could not be asked{because}"
    return said


def duration(seconds: float) -> str:
    """Return a duration such as `0.4 s`, `34 s`, `3 min 12 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes > 1 else f"{round(seconds)} s"
