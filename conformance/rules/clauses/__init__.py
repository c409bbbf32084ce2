"""The clauses of the KIPs, and what the suite makes of each of them.

A catalogue tells what is judged, and not what was left out. So the accepted texts of the KIPs that
the suite answers for are taken apart into clauses, each in our own words, and every clause names
the rules that decide it, or for whom such rules are to come, or why nobody outside can see whether
it is kept. The reader holds the two together: a clause that says none of this, or names a rule that
is not there, is an error. A clause's number is never changed or used again; more come at the end.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal, TypeVar

import msgspec

from conformance.errors import ConformanceError
from conformance.rules import Applies, Rule, catalogue

Kind = Literal["codec", "broker", "client", "schema"]
"""Whom a rule that is to come will be about."""

Status = Literal["decided", "in part", "planned", "unobservable"]
"""decided: by rules of the catalogue. in part: by some, and others are to come."""

_T = TypeVar("_T")
_KINDS: dict[Applies, Kind] = {
    "codec-decode": "codec",
    "codec-encode": "codec",
    "broker": "broker",
    "client": "client",
    "schema": "schema",
}
_KIP = re.compile(r"KIP-\d+")
_TO_COME = "planned.toml"


class Clause(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One demand of a KIP, in one sentence.

    `section` is the KIP's own heading. `rules` decide it; `planned` says for whom rules are to
    come, and `shorthand` which; `unobservable` is why there will be none. `note` tells where
    releases, or later KIPs, went another way.
    """

    id: str
    section: str
    text: str
    rules: tuple[str, ...] = ()
    planned: tuple[Kind, ...] = ()
    shorthand: tuple[str, ...] = ()
    unobservable: str = ""
    note: str = ""

    @property
    def status(self) -> Status:
        """What the suite makes of it."""
        if self.unobservable:
            return "unobservable"
        if self.rules:
            return "in part" if self.planned else "decided"
        return "planned"


class Kip(msgspec.Struct, frozen=True, kw_only=True):
    """A KIP and its clauses in the order of their numbers; `title` is ours."""

    id: str
    title: str
    clauses: tuple[Clause, ...]


class ToCome(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule that is not in the catalogue yet: for whom, and what about."""

    applies: tuple[Kind, ...]
    about: str


@cache
def kips() -> dict[str, Kip]:
    """The KIPs by their names, as `KIP-482`, in the order of their numbers.

    Raises `ConformanceError` if a table is broken, or does not fit the catalogue.
    """
    return read(files(__package__), catalogue(), to_come())


@cache
def to_come() -> dict[str, ToCome]:
    """The rules that clauses wait for, by their short ids."""
    file = files(__package__) / _TO_COME
    return {
        shorthand: _convert(file.name, shorthand, table, ToCome)
        for shorthand, table in _document(file)["to-come"].items()
    }


def read(
    folder: Traversable, rules: Mapping[str, Rule], awaited: Mapping[str, ToCome]
) -> dict[str, Kip]:
    """The KIPs of every `kip-*.toml` in a folder, held against the rules there are and will be.

    Raises `ConformanceError`, with file, clause and reason, at the first flaw.
    """
    found = [
        _kip(file, rules, awaited)
        for file in folder.iterdir()
        if file.name.startswith("kip-") and file.name.endswith(".toml")
    ]
    return {kip.id: kip for kip in sorted(found, key=lambda kip: int(kip.id[len("KIP-") :]))}


def select(names: Iterable[str] = ()) -> list[Clause]:
    """The clauses of these KIPs (`KIP-482`, `482`) or these clauses alone (`KIP-482/12`).

    No name means all. A name that is not there is a `ConformanceError`.
    """
    chosen = [clause for name in names for clause in _named(name)]
    return list(dict.fromkeys(chosen)) or [c for kip in kips().values() for c in kip.clauses]


def deciding(rule_id: str) -> list[Clause]:
    """The clauses that a rule decides, alone or with others."""
    return [clause for clause in select() if rule_id in clause.rules]


def coverage(clauses: Iterable[Clause]) -> str:
    """One line: how many clauses there are, and what the suite makes of them."""
    counts = Counter(clause.status for clause in clauses)
    part = f" ({counts['in part']} of them in part)" if counts["in part"] else ""
    decided = counts["decided"] + counts["in part"]
    return (
        f"{counts.total()} clauses: {decided} decided by rules{part}, "
        f"{counts['planned']} planned, {counts['unobservable']} unobservable"
    )


def overdue(clause: Clause) -> Iterator[str]:
    """What a clause waits for although nothing more is to come, each as a line to act upon."""
    for kind in clause.planned:
        there = {shorthand: _bearing(shorthand, kind) for shorthand in clause.shorthand}
        if not any(_awaited(s, kind) and not rules for s, rules in there.items()):
            told = "".join(f"; {s} is {' and '.join(rules)}" for s, rules in there.items() if rules)
            yield f"{clause.id} waits for rules about a {kind}, and none is to come{told}"


def kinds(rule: Rule) -> set[Kind]:
    """Whom a rule is about; the two directions of a codec are one."""
    return {_KINDS[applies] for applies in rule.applies}


def _bearing(shorthand: str, kind: Kind) -> list[str]:
    """The rules of the catalogue with a short id that are about a kind of target."""
    return [
        rule.id
        for rule in catalogue().values()
        if shorthand in rule.shorthand and kind in kinds(rule)
    ]


def _awaited(shorthand: str, kind: Kind) -> bool:
    return shorthand in to_come() and kind in to_come()[shorthand].applies


def _named(name: str) -> tuple[Clause, ...]:
    wanted = name.upper() if name.upper().startswith("KIP-") else f"KIP-{name}"
    kip = kips().get(wanted.split("/")[0])
    if kip is None:
        raise ConformanceError(f"no clauses of {name!r}", f"there are those of {', '.join(kips())}")
    if "/" not in wanted:
        return kip.clauses
    for clause in kip.clauses:
        if clause.id == wanted:
            return (clause,)
    raise ConformanceError(
        f"{kip.id} has no clause {name!r}", f"they go from 1 to {len(kip.clauses)}"
    )


def _kip(file: Traversable, rules: Mapping[str, Rule], awaited: Mapping[str, ToCome]) -> Kip:
    document = _document(file)
    kip_id, title, tables = (document.pop(key, None) for key in ("kip", "title", "clause"))
    if not (isinstance(kip_id, str) and _KIP.fullmatch(kip_id) and title):
        raise _broken(file.name, None, "`kip` or `title` is missing or wrong")
    if document or not isinstance(tables, list) or not tables:
        raise _broken(file.name, None, "it holds other things than [[clause]] tables, or none")
    known = set(awaited) | {s for rule in rules.values() for s in rule.shorthand}
    clauses = []
    for position, table in enumerate(tables, start=1):
        clause = _convert(file.name, f"{kip_id}/{position}", table, Clause)
        if clause.id != f"{kip_id}/{position}":
            raise _broken(file.name, clause.id, f"it stands where {kip_id}/{position} is due")
        for flaw in _flaws(clause, rules, known):
            raise _broken(file.name, clause.id, flaw)
        clauses.append(clause)
    return Kip(id=kip_id, title=title, clauses=tuple(clauses))


def _flaws(clause: Clause, rules: Mapping[str, Rule], known: set[str]) -> Iterator[str]:
    """What the types could not tell of a clause."""
    yield from _flaws_of_status(clause)
    yield from _flaws_of_names(clause, rules, known)
    for key in ("section", "text", "unobservable", "note"):
        text = getattr(clause, key)
        if text != " ".join(text.split()) or (not text and key in ("section", "text")):
            yield f"`{key}` is empty, or has line breaks or spare blanks"
    if not clause.text.endswith("."):
        yield "`text` does not end with a full stop"


def _flaws_of_status(clause: Clause) -> Iterator[str]:
    if not (clause.rules or clause.planned or clause.unobservable):
        yield "it has neither rules, nor planned ones, nor a reason why it is unobservable"
    if clause.unobservable and (clause.rules or clause.planned):
        yield "it is unobservable, and yet rules decide it"
    if bool(clause.planned) != bool(clause.shorthand):
        yield "`planned` and `shorthand` go together"


def _flaws_of_names(clause: Clause, rules: Mapping[str, Rule], known: set[str]) -> Iterator[str]:
    for rule_id in clause.rules:
        if rule_id not in rules:
            yield f"there is no rule {rule_id!r}"
    for shorthand in clause.shorthand:
        if shorthand not in known:
            yield f"{shorthand!r} is the short id of no rule, and not in {_TO_COME}"
    for key in ("rules", "planned", "shorthand"):
        for entry, count in Counter(getattr(clause, key)).items():
            if count > 1:
                yield f"`{key}` holds {entry!r} twice"


def _document(file: Traversable) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _broken(file.name, None, str(error)) from error


def _convert(file_name: str, label: str, table: object, kind: type[_T]) -> _T:
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise _broken(file_name, label, str(error)) from error


def _broken(file_name: str, clause: str | None, reason: str) -> ConformanceError:
    where = f"{file_name}, {clause}" if clause else file_name
    return ConformanceError(f"broken table of clauses in {where}: {reason}")
