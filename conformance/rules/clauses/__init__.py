"""The clauses of the KIPs, and what the suite makes of each of them.

A catalogue tells what is judged, and not what was left out. So the accepted texts of the KIPs that
the suite answers for are taken apart into clauses, each in our own words. That a clause is decided
is a claim, and it is measured: the clause names mutants that break it, each with the rule that
catches it (`tests.proof.clauses`). The others say why they are not decided. A clause's
number is never changed or used again; more come at the end.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal, get_args

import msgspec

from conformance.errors import ConformanceError
from conformance.rules import CLASSES, Rule, RuleClass, catalogue

Status = Literal["decided", "either", "disputed", "unobservable", "undecided"]
STATUSES: Mapping[Status, str] = {
    "decided": "decided by a mutant",
    "either": "either",
    "disputed": "disputed",
    "unobservable": "unobservable",
    "undecided": "undecided",
}
"""The names of the states in counts. decided: a mutant that breaks the clause is caught by a rule.
either: what the KIP says and what Apache Kafka does both pass. disputed: a later KIP or the
releases contradict it. unobservable: it can't be seen from outside. undecided: rules ask about it,
and no mutant shows yet that they would notice.
"""

MutantKind = Literal["codec", "broker", "client", "definition", "evolution"]
"""Whose defect a mutant is: of a definition by itself, or of a change from release to release."""

_KIP = re.compile(r"KIP-\d+")
_REASONS = ("either", "disputed", "unobservable")
_TEXTS = ("section", "text", *_REASONS, "leaves", "note")


class Clause(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One demand of a KIP, in one sentence.

    `section` is the KIP's own heading. `rules` ask about it. `mutants` are those that break it, as
    `broker:NAME`, under the rule that catches each. `either`, `disputed` and `unobservable` are the
    reason why it is not decided. `leaves` tells what the clause leaves to Apache Kafka, where rules
    of class kafka alone decide it. `note` tells where releases, or later KIPs, went another way.
    """

    id: str
    section: str
    text: str
    rules: tuple[str, ...] = ()
    mutants: dict[str, tuple[str, ...]] = {}
    either: str = ""
    disputed: str = ""
    unobservable: str = ""
    leaves: str = ""
    note: str = ""

    @property
    def status(self) -> Status:
        """Return the state: the one with a reason, else decided if the clause has mutants."""
        reasons: dict[Status, str] = {
            "either": self.either,
            "disputed": self.disputed,
            "unobservable": self.unobservable,
        }
        given = next((status for status, reason in reasons.items() if reason), None)
        return given or ("decided" if self.mutants else "undecided")

    @property
    def why(self) -> str:
        """The reason why it is not decided, where it says one."""
        return self.either or self.disputed or self.unobservable


class Kip(msgspec.Struct, frozen=True, kw_only=True):
    """A KIP and its clauses in the order of their numbers; `title` is ours."""

    id: str
    title: str
    clauses: tuple[Clause, ...]


@cache
def kips() -> dict[str, Kip]:
    """Return the KIPs by their names, as `KIP-482`, in the order of their numbers.

    Raises `ConformanceError` if a table is broken, or does not fit the catalogue.
    """
    return read(files(__package__), catalogue())


def read(folder: Traversable, rules: Mapping[str, Rule]) -> dict[str, Kip]:
    """Return the KIPs of every `kip-*.toml` in a folder, checked against the catalogue.

    Raises `ConformanceError`, with file, clause and reason, at the first flaw.
    """
    found = [
        _kip(file, rules)
        for file in folder.iterdir()
        if file.name.startswith("kip-") and file.name.endswith(".toml")
    ]
    return {kip.id: kip for kip in sorted(found, key=lambda kip: int(kip.id[len("KIP-") :]))}


def select(names: Iterable[str] = ()) -> list[Clause]:
    """The clauses of these KIPs (`KIP-482`, `482`) or these clauses alone (`KIP-482/12`).

    No name means all. A name that is not there is a `ConformanceError`.
    """
    chosen = {clause.id: clause for name in names for clause in _named(name)}
    return list(chosen.values()) or [c for kip in kips().values() for c in kip.clauses]


def asking(rule_id: str) -> list[Clause]:
    """The clauses that a rule asks about, alone or with others."""
    return [clause for clause in select() if rule_id in clause.rules]


def deciding_classes(clause: Clause) -> list[RuleClass]:
    """Return the classes of the rules that decide a clause, the strongest first."""
    found = {catalogue()[rule_id].class_ for rule_id in clause.mutants}
    return [class_ for class_ in CLASSES if class_ in found]


def coverage(clauses: Iterable[Clause]) -> str:
    """One line: how many clauses there are, and what the suite makes of them."""
    every = list(clauses)
    counts = Counter(clause.status for clause in every)
    strongest = Counter(found[0] for clause in every if (found := deciding_classes(clause)))
    classes = ", ".join(f"{strongest[class_]} {class_}" for class_ in CLASSES if strongest[class_])
    names = {**STATUSES, "decided": f"{STATUSES['decided']} ({classes})"}
    told = [f"{counts[status]} {name}" for status, name in names.items() if counts[status]]
    return f"{counts.total()} clauses: {', '.join(told)}"


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


def _kip(file: Traversable, rules: Mapping[str, Rule]) -> Kip:
    document = _document(file)
    kip_id, title, tables = (document.pop(key, None) for key in ("kip", "title", "clause"))
    if not (isinstance(kip_id, str) and _KIP.fullmatch(kip_id) and title):
        raise _broken(file.name, None, "`kip` or `title` is missing or wrong")
    if document or not isinstance(tables, list) or not tables:
        raise _broken(file.name, None, "it holds other things than [[clause]] tables, or none")
    clauses = []
    for position, table in enumerate(tables, start=1):
        clause = _convert(file.name, f"{kip_id}/{position}", table)
        if clause.id != f"{kip_id}/{position}":
            raise _broken(file.name, clause.id, f"it stands where {kip_id}/{position} is due")
        for flaw in _flaws(clause, rules):
            raise _broken(file.name, clause.id, flaw)
        clauses.append(clause)
    return Kip(id=kip_id, title=title, clauses=tuple(clauses))


def _flaws(clause: Clause, rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield the flaws of a clause that its types don't rule out."""
    yield from _flaws_of_status(clause)
    yield from _flaws_of_names(clause, rules)
    yield from _flaws_of_class(clause, rules)
    for key in _TEXTS:
        text = getattr(clause, key)
        if text != " ".join(text.split()) or (not text and key in ("section", "text")):
            yield f"`{key}` is empty, or has line breaks or spare blanks"
    if not clause.text.endswith("."):
        yield "`text` does not end with a full stop"


def _flaws_of_status(clause: Clause) -> Iterator[str]:
    reasons = [key for key in _REASONS if getattr(clause, key)]
    if not (clause.rules or reasons):
        yield "it has neither rules nor a reason why there are none"
    if len(reasons) > 1:
        yield f"it is {' and '.join(reasons)} at once"
    if clause.mutants and reasons:
        yield f"it is {reasons[0]}, and yet mutants are named that break it"
    if clause.unobservable and clause.rules:
        yield "it is unobservable, and yet rules ask about it"


def _flaws_of_names(clause: Clause, rules: Mapping[str, Rule]) -> Iterator[str]:
    for rule_id in clause.rules:
        if rule_id not in rules:
            yield f"there is no rule {rule_id!r}"
    for entry, count in Counter(clause.rules).items():
        if count > 1:
            yield f"`rules` holds {entry!r} twice"
    for rule_id, names in clause.mutants.items():
        if rule_id not in clause.rules:
            yield f"{rule_id!r} has mutants, and is not among `rules`"
        if not names:
            yield f"{rule_id!r} has no mutant"
        for name in names:
            if name.partition(":")[0] not in get_args(MutantKind):
                yield f"{name!r} does not say whose mutant it is, as in `broker:NAME`"


def _flaws_of_class(clause: Clause, rules: Mapping[str, Rule]) -> Iterator[str]:
    """A rule of class kafka decides only what the clause itself leaves to Apache Kafka."""
    classes = {rules[rule_id].class_ for rule_id in clause.mutants if rule_id in rules}
    if bool(clause.leaves) != (classes == {"kafka"}):
        yield "`leaves` belongs to a clause that rules of class kafka alone decide"


def _document(file: Traversable) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _broken(file.name, None, str(error)) from error


def _convert(file_name: str, label: str, table: object) -> Clause:
    try:
        return msgspec.convert(table, Clause)
    except msgspec.ValidationError as error:
        raise _broken(file_name, label, str(error)) from error


def _broken(file_name: str, clause: str | None, reason: str) -> ConformanceError:
    where = f"{file_name}, {clause}" if clause else file_name
    return ConformanceError(f"broken table of clauses in {where}: {reason}")
