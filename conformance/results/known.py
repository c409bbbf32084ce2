"""Known failures: what a target is expected to get wrong, so that only news fails a run.

A TOML file of `[[known]]` tables: `rule` and `verdict`, optionally `message` and `version` (one, or
a list of them), a `reason` and an `issue`. Listed cases still run. One that passes now, or an entry
that matches nothing, is news as well.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from conformance.errors import ConformanceError
from conformance.results.lines import BROKEN, Verdict


class Known(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One entry. An entry without `message` or `version` matches all."""

    rule: str
    verdict: str
    message: str = ""
    version: int | list[int] | None = None
    reason: str = ""
    issue: str = ""

    def matches(self, verdict: Verdict) -> bool:
        """Whether this entry lists the verdict's rule, message and version."""
        return (
            self.rule == verdict.rule
            and self.message in ("", verdict.message)
            and (not self.versions or verdict.version in self.versions)
        )

    @property
    def versions(self) -> list[int]:
        """The versions that the entry names, none where it matches all."""
        return [self.version] if isinstance(self.version, int) else self.version or []


Key = tuple[str, str, int, str]
"""(rule, the entry's message, version, verdict)."""


class KnownError(ConformanceError):
    """A known-failures file that can't be read."""


def read_known(path: Path) -> list[Known]:
    """The entries of a file. Raises KnownError."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        return msgspec.convert(content.get("known", []), list[Known])
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise KnownError(f"{path}: {error}", "a TOML file of [[known]] tables") from None
    except msgspec.ValidationError as error:
        raise KnownError(f"{path}: {error}", "see DESIGN, section 8") from None


class Expectations:
    """Holds the verdicts of a run against the entries of a known-failures file.

    `partial` runs judge a selection, so that an entry they never came by is not stale.
    """

    def __init__(self, entries: Iterable[Known], partial: bool = False) -> None:
        self.entries = list(entries)
        self.unexpected: list[Verdict] = []
        self._partial = partial
        self._judged: set[Key] = set()
        self._failed: set[Key] = set()

    def take(self, verdict: Verdict) -> None:
        """Count one verdict: an expected failure, a new one, or none at all."""
        for entry in self._by_rule.get(verdict.rule, ()):
            if entry.matches(verdict):
                key = (verdict.rule, entry.message, verdict.version, entry.verdict)
                self._judged.add(key)
                if entry.verdict == verdict.verdict:
                    self._failed.add(key)
                    return
        if verdict.verdict in BROKEN:
            self.unexpected.append(verdict)

    @cached_property
    def _by_rule(self) -> dict[str, list[Known]]:
        by_rule: dict[str, list[Known]] = defaultdict(list)
        for entry in self.entries:
            by_rule[entry.rule].append(entry)
        return by_rule

    @property
    def stale(self) -> list[str]:
        """What is listed and did not fail so: each with the version, where the entry names any."""
        found = []
        for entry in self.entries:
            for version in entry.versions or ("any",):
                keys = self._failed if entry.versions else {key[:2] for key in self._failed}
                key = (entry.rule, entry.message, version, entry.verdict)
                if (key if entry.versions else key[:2]) in keys:
                    continue
                judged = any(k[:2] == key[:2] and version in ("any", k[2]) for k in self._judged)
                if judged or not self._partial:
                    found.append(f"{entry.rule} {entry.message or 'any message'} v{version}")
        return found


def known_of(verdicts: Iterable[Verdict], earlier: Iterable[Known] = ()) -> str:
    """The text of a file that lists all failures among these verdicts.

    Reasons and issues of earlier entries for the same rule, message and verdict are kept.
    """
    versions: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for verdict in verdicts:
        if verdict.verdict in BROKEN:
            versions[verdict.rule, verdict.message, verdict.verdict].add(verdict.version)
    notes = {(entry.rule, entry.message, entry.verdict): entry for entry in earlier}
    tables = []
    for key in sorted(versions):
        table: dict[str, Any] = dict(zip(("rule", "message", "verdict"), key, strict=True))
        table["version"] = sorted(versions[key])
        if key in notes:
            table |= {"reason": notes[key].reason, "issue": notes[key].issue}
        tables.append(_table({name: value for name, value in table.items() if value != ""}))
    return "\n".join(tables)


def _table(content: dict[str, Any]) -> str:
    lines = [f"{name} = {msgspec.json.encode(value).decode()}\n" for name, value in content.items()]
    return "[[known]]\n" + "".join(lines)
