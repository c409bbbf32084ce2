"""Dialogues with a broker that show whether it keeps a rule: one short generator a question.

A dialogue is registered by its decorator with the rule that it decides, and found if its module is
in this package. It passes when it comes to its end, and fails with `Broken`. A `malformed` dialogue
sends bytes that no well-behaved client would send; its control case is the same exchange without
the fault.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

from conformance.brokers.dialogues.talk import Facts, Talk
from conformance.dialogue import Dialogue
from conformance.modules import import_all
from conformance.rules import Rule

Want = Literal["writes", "other", "login", "cluster", "stops", "explores"]
"""The needs of a dialogue. writes: the run may change something, under names of its own, which are
removed in the end. other: a second principal. login: connections authenticate. cluster: a second
broker. stops: a broker that may be ended. explores: whole conversations are compared.
"""
LACKING: Mapping[Want, str] = {
    "writes": "changes something: --allow-writes",
    "other": "needs a second principal: --other-config",
    "login": "needs a listener that authenticates: --config",
    "cluster": "needs a cluster of several brokers: --brokers 3",
    "stops": "ends a broker: --start kafka --brokers 3",
    "explores": "compares whole conversations: --explore 60",
}

UNWRITABLE = "changes something: topics that can be created and deleted"
"""The need of a dialogue that creates topics, of a broker where the run could create none."""

Beside = Literal["reads", "writes", "nothing"]

_registered: list[Question] = []


@dataclass(frozen=True, slots=True)
class Question:
    """A dialogue and what it is about.

    `api` is the request's name without "Request"; `versions` are those that it is asked in, of
    those that the broker advertises; None for a dialogue that has no version of its own. It is
    asked of a broker that has `api` and `needs`, of a run that has what it `wants`. `sends` is the
    rule that judges what is malformed in it by itself, where this one looks at something else.
    """

    rule: str
    name: str
    make: Callable[..., Dialogue]
    api: str
    versions: range | None
    malformed: bool
    control_case: Callable[[Talk], Dialogue] | None
    needs: tuple[str, ...]
    wants: tuple[Want, ...]
    sends: str = ""


@dataclass(frozen=True, slots=True)
class DialogueCase:
    """One dialogue with one broker: `begin` and `control_case` make it anew for a fresh connection.

    `beside` is what it may be held beside at the same time: dialogues that read as it does, those
    that change things of their own as it does, or nothing. `apis` are those of its requests.
    """

    id: str
    rule: str
    message: str
    version: int
    begin: Callable[[], Dialogue]
    malformed: bool
    control_case: Callable[[], Dialogue]
    beside: Beside
    sends: str = ""
    apis: tuple[str, ...] = ()

    @property
    def versioned(self) -> bool:
        """True if it is asked in one version, which is part of its id."""
        return "-v" in self.id.partition("/")[0]


def question(
    rule: str,
    api: str = "ApiVersions",
    versions: range | None = None,
    *,
    malformed: bool = False,
    control_case: Callable[[Talk], Dialogue] | None = None,
    needs: tuple[str, ...] = (),
    wants: tuple[Want, ...] = (),
    sends: str = "",
) -> Callable[[Callable[..., Dialogue]], Callable[..., Dialogue]]:
    """The generator under this decides a rule.

    With `versions` it is called with each of them that the broker has. `needs` are other requests
    that it sends, `wants` what else it needs of the run.
    """

    def register(make: Callable[..., Dialogue]) -> Callable[..., Dialogue]:
        name = make.__name__.strip("_").replace("_", "-")
        _registered.append(
            Question(rule, name, make, api, versions, malformed, control_case, needs, wants, sends)
        )
        return make

    return register


@cache
def questions() -> tuple[Question, ...]:
    """Return every dialogue of this package, sorted by module."""
    import_all(__name__, __path__)
    return tuple(sorted(_registered, key=lambda item: item.make.__module__))


def asked_of(facts: Facts, rules: Mapping[str, Rule]) -> Iterator[DialogueCase]:
    """Yield the dialogues that decide these rules, as far as run and broker have what they need."""
    for item in questions():
        if item.rule not in rules or not _is_here(item, facts) or lacking(item, facts):
            continue
        for version in _versions(item, facts):
            yield _dialogue_case(item, facts, version, () if item.versions is None else (version,))


def ends(asked: Iterable[DialogueCase]) -> Iterator[DialogueCase]:
    """Each dialogue in its lowest and its highest version alone."""
    by_name: defaultdict[tuple[str, str, str], list[DialogueCase]] = defaultdict(list)
    for each in asked:
        by_name[each.rule, each.message, each.id.partition("/")[2]].append(each)
    for versions in by_name.values():
        yield from versions if len(versions) < 3 else (versions[0], versions[-1])


def _is_here(item: Question, facts: Facts) -> bool:
    """True if the broker has the requests, and one of the versions, that a dialogue sends."""
    return all(map(facts.has, (item.api, *item.needs))) and bool(_versions(item, facts))


def _versions(item: Question, facts: Facts) -> range:
    """The versions to ask in, the highest for a dialogue that has none of its own."""
    low, high = facts.range_of(item.api)
    if item.versions is None:
        return range(high, high + 1)
    return range(max(low, item.versions.start), min(high + 1, item.versions.stop))


def lacking(item: Question, facts: Facts) -> str:
    """Return the first need of a dialogue that this run lacks, in words, "" if it lacks none."""
    given: Mapping[Want, bool] = {
        "writes": facts.writes,
        "other": bool(facts.other),
        "login": facts.authenticates,
        "cluster": len(facts.nodes) > 1,
        "stops": facts.stops and len(facts.nodes) > 1,
        "explores": facts.explores,
    }
    lacks = next((want for want in item.wants if not given[want]), None)
    if lacks:
        return LACKING[lacks]
    return UNWRITABLE if facts.unwritable and _needs_topics(item, facts) else ""


def _needs_topics(item: Question, facts: Facts) -> bool:
    """True if a dialogue has to create topics, other than to see how they are created."""
    if "explores" in item.wants:
        return True
    creates = "writes" in item.wants and "CreateTopics" in (item.api, *item.needs)
    return creates and not (facts.asks_creation and item.api == "CreateTopics")


def not_asked(facts: Facts, rules: Mapping[str, Rule]) -> dict[str, list[str]]:
    """Return the rules with dialogues that this run can't hold, by the need that it lacks."""
    found: dict[str, list[str]] = {}
    for item in questions():
        why = lacking(item, facts) if item.rule in rules and _is_here(item, facts) else ""
        if why and item.rule not in found.setdefault(why, []):
            found[why].append(item.rule)
    return found


def _dialogue_case(
    item: Question, facts: Facts, version: int, given: tuple[int, ...]
) -> DialogueCase:
    where = f"{item.api}Request-v{version}" if given else f"{item.api}Request"
    control_case = item.control_case or _well_formed
    return DialogueCase(
        id=f"{where}/{item.name}",
        rule=item.rule,
        message=f"{item.api}Request",
        version=version,
        begin=partial(_begin, item.make, facts, given),
        malformed=item.malformed,
        control_case=partial(_begin, control_case, facts, ()),
        beside=_beside(item),
        sends=item.sends,
        apis=(item.api, *item.needs),
    )


def _beside(item: Question) -> Beside:
    """Time is measured in questions of frames; what one principal is granted, it has for all."""
    if item.malformed or item.rule.startswith("framing.") or {"other", "stops"} & set(item.wants):
        return "nothing"
    return "writes" if "writes" in item.wants else "reads"


def _begin(make: Callable[..., Dialogue], facts: Facts, given: tuple[int, ...]) -> Dialogue:
    return make(Talk(facts), *given)


def _well_formed(talk: Talk) -> Dialogue:
    """A request that every broker answers."""
    yield from talk.is_served()
