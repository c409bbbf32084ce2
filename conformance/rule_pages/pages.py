"""A page for every rule: its statement, its cases, and the mutants and releases that break it.

The committed pages have only a rule's table, a group a page. These pages are made when the site is
built, from the vectors, dialogues, scenarios, mutants and published reports of that moment, so they
are never out of date. They are written for a folder beside `docs/rules`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

from conformance.brokers.dialogues import LACKING, Question, questions
from conformance.brokers.mutants import broker_mutants
from conformance.clients.mutants import client_mutants
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.every_request import ALWAYS
from conformance.clients.scenarios.scenario import Scenario
from conformance.codecs.cases.vectors import Vector, all_vectors
from conformance.codecs.mutants import mutants
from conformance.definitions.mutants import definition_mutants
from conformance.definitions.mutants.evolution import MUTANTS as EVOLUTION
from conformance.definitions.mutants.foreign import MUTANTS as FOREIGN
from conformance.proxies.dialogues import ProxyCase
from conformance.proxies.mutants import proxy_mutants
from conformance.proxies.place import EVERY
from conformance.proxies.score import every_case
from conformance.results.command_lines import command_line, given
from conformance.rule_pages.in_releases import SeenInReleases
from conformance.rules import Rule, catalogue
from conformance.rules.pages import MEANING, anchor, bug_link, describe, escaped, row, table

_MOST_MESSAGES = 12
_MOST_HEX = 256
_DERIVED = (
    "No stored vector decides it alone: it is asked by edits of vectors, which are made when a "
    "codec is judged."
)
_OF_DEFINITIONS = {
    "definitions": "Each definition is asked, as it stands in its file.",
    "evolution": "Each definition of the newer release is held against that of the older one.",
    "foreign": "Each version of somebody's definition is held against Apache Kafka's.",
}
_JUDGING = {
    "definitions": "lint kafka-clients-4.4.0.jar",
    "evolution": "diff 4.3.1 4.4.0",
    "foreign": "compare my-definitions",
}


@dataclass(frozen=True, slots=True)
class Defects:
    """Public defects of real releases, by rule: from reports, None without reports; and issues."""

    seen: Mapping[str, Sequence[SeenInReleases]] | None = None
    issues: Mapping[str, Iterable[str]] = field(default_factory=dict)


def rule_pages(rules: Iterable[Rule], defects: Defects) -> Iterator[tuple[str, str]]:
    """Yield file names and texts, one of each rule."""
    for rule in rules:
        yield f"{rule.id}.md", "\n".join(_page(rule, defects)) + "\n"


def rule_index() -> str:
    """Return the page that lists all of them."""
    lines = ["# Every rule on a page of its own", ""]
    lines += table("rule", "class", "statement")
    for rule in catalogue().values():
        lines.append(row(f"[{rule.id}]({rule.id}.md)", rule.class_, escaped(rule.statement)))
    return "\n".join(lines) + "\n"


def _page(rule: Rule, defects: Defects) -> Iterator[str]:
    yield from (f"# {rule.id}", "")
    yield from describe(rule, "../rules/")
    yield from ("", f"A rule of class {rule.class_}: {MEANING[rule.class_]}.")
    yield f"Its group: [{rule.group}](../rules/{rule.group}.md#{anchor(rule.id)})."
    yield from ("", "## How it is asked", "")
    yield from _questions(rule)
    yield from ("", "## Mutants that it catches", "")
    yield from _mutants(rule)
    yield from ("", "## Real defects", "")
    yield from _defects(rule, defects)
    yield from ("", "## Run it alone", "", "```sh")
    yield from _commands(rule)
    yield "```"


def _questions(rule: Rule) -> Iterator[str]:
    if _is_for(rule, "codec"):
        yield from _vectors(_vectors_by_rule().get(rule.id, ()))
    if dialogues := _dialogues(rule):
        yield from ("", f"Dialogues with a broker: {len(dialogues)}.", "")
        yield from table("dialogue", "request", "it needs")
        yield from (row(*_dialogue(item)) for item in dialogues)
    if played := _scenarios(rule):
        yield from ("", f"Scenarios played to a client: {len(played)}.", "")
        yield from table("scenario", "what is played")
        yield from (row(f"`{each.case()}`", escaped(each.says())) for each in played)
    if rule.id in ALWAYS:
        yield from ("", "Judged by what a client sends, in every scenario that is played to it.")
    if _is_for(rule, "schema"):
        yield _OF_DEFINITIONS[rule.group]
    if cases := _proxied(rule):
        yield from ("", f"Dialogues through a proxy: {len(cases)}, of these messages:", "")
        names = sorted({case.message for case in cases})
        yield ", ".join(names[:_MOST_MESSAGES]) + (" and others" if names[_MOST_MESSAGES:] else "")
    yield from _unasked(rule)


def _unasked(rule: Rule) -> Iterator[str]:
    """Yield the kinds of targets that a rule is for, but that no run asks yet."""
    for peer, command in (("broker", _asks_broker), ("client", _asks_client)):
        if peer in rule.applies and not command(rule):
            yield from ("", f"It is for a {peer} as well, and no run asks that of one yet.")


def _vectors(vectors: Sequence[Vector]) -> Iterator[str]:
    if not vectors:
        yield _DERIVED
        return
    counts = Counter(vector.message for vector in vectors).most_common()
    yield from (f"Vectors that decide it: {len(vectors)}, of {len(counts)} messages.", "")
    yield from table("message", "vectors")
    yield from (row(name, str(count)) for name, count in counts[:_MOST_MESSAGES])
    if rest := counts[_MOST_MESSAGES:]:
        yield row(f"{len(rest)} more", str(sum(count for _, count in rest)))
    yield from _example(min(vectors, key=lambda vector: (len(vector.hex), vector.id)))


def _example(vector: Vector) -> Iterator[str]:
    what = "a body" if vector.header is None else "a whole frame"
    yield from ("", f"The smallest, `{vector.id}` ({what}): {escaped(vector.comment)}", "")
    cut = "…" if len(vector.hex) > _MOST_HEX else ""
    yield from ("```text", vector.hex[:_MOST_HEX] + cut, "```", "")
    yield f"`kafka-conformance vectors show {vector.id}` has its value as well."


def _dialogue(item: Question) -> tuple[str, str, str]:
    wants = "; ".join(LACKING[want] for want in item.wants)
    return f"`{item.name}`", f"{item.api}Request", escaped(wants)


def _mutants(rule: Rule) -> Iterator[str]:
    """Yield the reference's defects that break it; the tests show that it catches each alone."""
    found = [(name, said) for name, breaks, said in _known_mutants() if breaks == rule.id]
    yield from (f"- `{name}`: {escaped(said)}" for name, said in found)
    if not found:
        yield "None."


def _defects(rule: Rule, defects: Defects) -> Iterator[str]:
    shown = "[reports](../../reports/README.md)"
    if broken := (defects.seen or {}).get(rule.id):
        yield from (f"What the {shown} show:", "")
        yield from table("release", "verdict", "cases", "report")
        yield from (row(*_seen(each)) for each in broken)
    elif defects.seen is not None:
        yield f"No release in the {shown} breaks it."
    if issues := list(dict.fromkeys((*rule.bugs, *defects.issues.get(rule.id, ())))):
        yield from ("", f"Public issues: {', '.join(map(_issue, issues))}.")


def _seen(each: SeenInReleases) -> tuple[str, str, str, str]:
    report = f"[{escaped(each.report)}](../../reports/{each.report}.md)"
    return escaped(each.target), each.verdict, str(each.cases), report


def _issue(name: str) -> str:
    return f"<{name}>" if name.startswith("https://") else bug_link(name)


def _commands(rule: Rule) -> Iterator[str]:
    for words in _judging(rule):
        yield command_line(words, "--rule", rule.id)
    yield command_line(["rules", "show", rule.id])


def _judging(rule: Rule) -> Iterator[list[str]]:
    """Yield the words that judge each kind of target that the rule is for."""
    if _is_for(rule, "codec"):
        yield ["codec", "mypackage.codec:Codec"]
    if _asks_broker(rule):
        writes = any("writes" in item.wants for item in _dialogues(rule))
        yield ["broker", "HOST:PORT", *given({"--allow-writes": writes})]
    if _asks_client(rule):
        yield ["client", "kafka-python"]
    if _is_for(rule, "proxy"):
        yield ["proxy", "--start", "kroxylicious"]
    if _is_for(rule, "schema"):
        yield ["schema", *_JUDGING[rule.group].split()]


def _is_for(rule: Rule, target: str) -> bool:
    return any(each.split("-")[0] == target for each in rule.applies)


def _asks_broker(rule: Rule) -> bool:
    return bool(_dialogues(rule))


def _asks_client(rule: Rule) -> bool:
    return rule.id in ALWAYS or bool(_scenarios(rule))


def _dialogues(rule: Rule) -> list[Question]:
    return [item for item in questions() if item.rule == rule.id]


def _scenarios(rule: Rule) -> list[type[Scenario]]:
    return [each for each in scenarios().values() if rule.id in each.decides]


def _proxied(rule: Rule) -> list[ProxyCase]:
    """Return the dialogues through a proxy with the declared changes that give most of them."""
    if not _is_for(rule, "proxy"):
        return []
    return max((_proxied_by_rule(each).get(rule.id, []) for each in EVERY), key=len)


@cache
def _proxied_by_rule(rewrites: tuple[str, ...]) -> dict[str, list[ProxyCase]]:
    found: dict[str, dict[str, ProxyCase]] = {}
    for case in chain(*(every_case(rewrites, logs_in=each)[1] for each in (False, True))):
        for rule in case.rules:
            found.setdefault(rule, {})[case.id] = case
    return {rule: list(cases.values()) for rule, cases in found.items()}


@cache
def _vectors_by_rule() -> dict[str, list[Vector]]:
    found: dict[str, list[Vector]] = {}
    for vector in all_vectors():
        for rule in vector.covers:
            found.setdefault(rule, []).append(vector)
    return found


@cache
def _known_mutants() -> list[tuple[str, str, str]]:
    """Return name, rule and defect of every mutant of any kind."""
    codecs = ((name, each.breaks, each.says()) for name, each in mutants().items())
    brokers = ((name, each.breaks, each.says()) for name, each in broker_mutants().items())
    clients = ((name, each.breaks, each.says()) for name, each in client_mutants().items())
    proxies = ((name, each.breaks, each.says()) for name, each in proxy_mutants().items())
    texts = ((name, each.breaks, each.says) for name, each in definition_mutants().items())
    releases = ((each.name, each.breaks, each.says) for each in EVOLUTION)
    others = ((each.name, each.rule, each.says) for each in FOREIGN)
    return list(chain(codecs, brokers, clients, proxies, texts, releases, others))
