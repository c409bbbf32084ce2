"""Diagnoses of sorts of failures, as findings take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from conformance.reporting.observed import Observed
from conformance.reporting.sorts import EVERYWHERE, NEAR, Key, Sort


@dataclass(frozen=True, slots=True)
class Explained:
    """The diagnoses of sorts of failures, and the rule that each diagnosis breaks.

    `texts` has the diagnosis of each sort, and `breaks` the rule for each diagnosis. `judged` has
    how many cases of each rule were judged. `words` has the harm and the remedy of a diagnosis, ""
    where those of its rule fit. `where` is a clause on what the messages of a sort have in common,
    `lacking` are the sorts whose clause is not true of all their cases, or true of one that passed,
    and `near` is a name for sorts that have one cause, although its nature is unknown.
    `in_kind` names the one type of the sorts that differ in values of that type alone. `observed`
    has the causes that the answers themselves show. `everywhere` are rules that were broken in each
    case that decided them: these cases have one cause, whatever was asked in each. `newest` is the
    newest version of each message that was judged.
    """

    texts: Mapping[Sort, str] = field(default_factory=dict)
    breaks: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    judged: Mapping[str, int] = field(default_factory=dict)
    near: Mapping[Sort, str] = field(default_factory=dict)
    where: Mapping[Sort, str] = field(default_factory=dict)
    lacking: frozenset[Sort] = frozenset()
    in_kind: Mapping[Sort, str] = field(default_factory=dict)
    observed: Mapping[Sort, Observed] = field(default_factory=dict)
    everywhere: frozenset[str] = frozenset()
    newest: Mapping[str, int] = field(default_factory=dict)

    def keys_of(self, sort: Sort) -> tuple[Key, ...]:
        """Return the keys of a sort, with those of the rules that are broken everywhere.

        A name that is never printed is one more key: it may join sorts, and it separates none.
        """
        rules, keys = sort
        name = self.near.get(sort)
        near = [(NEAR, name)] if name else []
        return *keys, *((EVERYWHERE, rule) for rule in rules if rule in self.everywhere), *near

    def name_of(self, sort: Sort) -> str:
        """Return a trait that a sort without a diagnosis shares with others, "" if it has none."""
        found = (kind.get(sort) for kind in (self.where, self.in_kind))
        return next(filter(None, found), "")

    def whole(self, sorts: Iterable[Sort]) -> Mapping[Sort, str]:
        """Return the diagnosis of each of these sorts, "" for none.

        A sort without a diagnosis gets that of a sort with the same keys that broke more rules.
        """
        near: dict[tuple[Key, ...], list[tuple[frozenset[str], str]]] = {}
        for (rules, keys), text in self.texts.items():
            near.setdefault(keys, []).append((frozenset(rules), text))
        return {
            (rules, keys): self.texts.get((rules, keys))
            or next((text for more, text in near.get(keys, ()) if more.issuperset(rules)), "")
            for rules, keys in sorts
        }
