"""The gate that a run's items share: the target, the selection, and the files of verdicts.

One gate lives in each process of a run. It judges message by message, when the first item of a
message asks for its verdicts, and keeps only the verdicts of that message; every verdict goes to
the message's part of the results as it comes, so that an interrupted run loses nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from conformance.gate.settings import ALONE, MORE, SETTLED, Settings
from conformance.results.files import LineWriter
from conformance.results.known import Expectations
from conformance.results.lines import Verdict
from conformance.rules import Rule, catalogue
from conformance.testee_protocol import Hello, Target

PART = ".ndjson"
LOST = ".lost"
NOTES = ".notes"
"""The endings of files in the folder of parts.

They are a message's verdicts; why a process gave up; what else it saw.
"""

S = TypeVar("S", bound=Settings)


@dataclass
class JudgedItem:
    """The result of an item where all are judged together: its failed verdicts, and findings.

    `repeats` is a clause on the item with the same cause, "" unless other items explain all
    failures of this one. `leads` are a few lines for each finding that this item fails for.
    """

    verdicts: int = 0
    unsupported: bool = True
    wrong: list[Verdict] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)
    repeats: str = ""


class Gate(Generic[S]):
    """A judge of one target for the items of one process.

    A kind of target overrides `groups` and `_run`, and what else is different there.
    """

    asks_more = False
    """True if more is asked, once all is judged, of what failed."""

    def __init__(self, settings: S, target: Target | None = None, name: str = ALONE):
        self.settings = settings
        self.selection = settings.selection()
        self.rules: dict[str, Rule] = catalogue()
        self.known: Expectations | None = None
        self.together: Mapping[tuple[str, str], JudgedItem] | None = None
        """The results of all items, where they are judged together."""
        self._target = target
        self._name = name
        self._wanted_groups: set[tuple[str, str]] | None = None
        self._message = self._first = ""
        self._verdicts: dict[str, list[Verdict]] = {}

    @property
    def target(self) -> Target:
        """Return the target, started when it is first needed. Raises TargetError."""
        if self._target is None:
            self._target = self.settings.open()
        return self._target

    def groups(self, hello: Hello, /) -> list[tuple[str, str]]:
        """Return (message, rule group) for every item of a run on a target, by message."""
        raise NotImplementedError

    def why_nothing(self, name: str) -> tuple[str, str]:
        """Return why there is no item of the target of this name, and what to do."""
        remedy = "widen the selection, or see what the target says in its hello"
        return f"nothing is selected that {name} declares", remedy

    def needs(self) -> dict[str, str]:
        """Return the missing option of each rule that this run can't ask without it."""
        return {}

    def limit(self, groups: Iterable[tuple[str, str]]) -> None:
        """Judge only these groups of those that were found."""
        wanted = list(groups)
        self._wanted_groups = set(wanted)
        self._first = wanted[0][0] if wanted else ""

    def verdicts(self, message: str, group: str) -> list[Verdict]:
        """Return the verdicts of one item. Raises TargetLost."""
        if message != self._message:
            self._verdicts = self._judge(message)
            self._message = message
        return self._verdicts.get(group, [])

    def is_news(self, verdict: Verdict) -> bool:
        """True if a verdict that went wrong is not on the list of known failures."""
        return self.known is None or verdict.verdict == "error" or self.known.take(verdict)

    def lose(self, reason: str) -> None:
        """Write a file with the reason why nothing more can be judged, for the end of the run."""
        if self.settings.parts:
            self._beside(LOST).write_text(reason, "utf-8")

    def close(self) -> None:
        """End the target, and close this process's part of the results."""
        if self._target is not None:
            self._target.close()
            notes = [*self._target.notes, *self._own_notes()]
            if self.settings.parts and notes:
                self._beside(NOTES).write_text("\n".join(notes), "utf-8")
            self._target = None

    def settle(self) -> None:
        """Judge again what workers judged otherwise than one process would. Raises TargetLost."""

    def ask_more(self) -> None:
        """Ask more of what failed, so that causes can be distinguished. Raises TargetLost."""

    def _own_notes(self) -> list[str]:
        """Return the notes on the run itself."""
        return []

    def _beside(self, suffix: str) -> Path:
        return Path(self.settings.parts) / f"{self._name}{suffix}"

    @property
    def _is_worker(self) -> bool:
        return bool(self.settings.parts) and self._name not in (ALONE, SETTLED, MORE)

    def _part(self, message: str) -> AbstractContextManager[LineWriter | None]:
        folder = self.settings.parts
        return LineWriter(Path(folder, message + PART)) if folder else nullcontext()

    def _group(self, rule: str) -> str:
        """Return the item of its message in which a rule is judged."""
        return rule.partition(".")[0]

    def _item_of(self, _message: str, rule: str) -> str:
        """Return the item of a message that reports a rule: its group."""
        return self._group(rule)

    def _is_judged(self, message: str, group: str) -> bool:
        return self._wanted_groups is None or (message, group) in self._wanted_groups

    def _judge(self, message: str) -> dict[str, list[Verdict]]:
        found: dict[str, list[Verdict]] = defaultdict(list)
        with self._part(message) as part:
            for verdict in self._run(message):
                group = self._item_of(message, verdict.rule)
                if self._is_judged(message, group):
                    found[group].append(verdict)
                    if part is not None:
                        part.write(verdict)
        return found

    def _run(self, message: str) -> Iterator[Verdict]:
        """Yield the verdicts on all cases of a message. Raises TargetLost."""
        raise NotImplementedError
