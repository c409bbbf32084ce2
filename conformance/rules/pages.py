"""The catalogue as pages to read: one a group of rules, one for the clauses of the KIPs, an index.

The pages are committed, so that they can be read and linked to where the code is hosted; a test
writes them anew and compares, so that they say what the tables say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib.resources import files

from conformance.rules import CLASSES, HarmLevel, Rule, catalogue
from conformance.rules.cited import cited
from conformance.rules.clauses import (
    STATUSES,
    Clause,
    Kip,
    asking,
    coverage,
    deciding_classes,
    kips,
    select,
)
from conformance.rules.examples import examples
from conformance.rules.examples.exchanges import exchanges

_WRITTEN = "<!-- Written by `kafka-conformance rules pages docs/rules` from conformance/rules. -->"
_RULES = """\
# The rules

What the suite demands, why, and where it is stated. A rule's class says what breaking it means:
"""
_SOURCES = """
## Where they come from

The accepted texts of these KIPs, [clause by clause](clauses.md), and what the suite makes of each:
"""
_CLAUSE_MAP = """\
# The clauses of the KIPs

The accepted text of each KIP, taken apart and said in our own words, and what the suite makes
of it:

- **decided**: mutants that break the clause are named, each behind the rule that catches it and the
  class of that rule. `tox run -e py` has each of them caught.
- **either**: what the KIP says and what Apache Kafka does both pass.
- **disputed**: a later KIP, or the releases, contradict it.
- **unobservable**: nobody can see it from outside.
- **undecided**: the rules named ask about it, and no mutant shows yet that they would notice.

What releases or later KIPs made of a clause is in italics.
"""
MEANING = {
    "must": "a KIP, Kafka's documentation or the message definitions say so",
    "kafka": "what Apache Kafka does, stated nowhere",
    "lenient": "both answers are legal, and a report says which was given",
    "harden": "whatever the bytes: no crash, no endless loop, no memory without bound",
}
HARM_MEANING: Mapping[HarmLevel, str] = {
    "data-lost": "data is lost",
    "data-wrong": "something else is read or kept than was meant",
    "process-lost": "a process ends, stalls or exhausts its memory",
    "connection-lost": "a connection is closed, or of no use",
    "peers-differ": "peers differ, and go on",
    "nobody": "nobody is hurt at once",
}
_CLAUSES = "clauses.md"


def pages() -> dict[str, str]:
    """The pages' texts by their file names."""
    groups: dict[str, list[Rule]] = {}
    for rule in catalogue().values():
        groups.setdefault(rule.group, []).append(rule)
    return {
        "README.md": _page(_index(groups)),
        _CLAUSES: _page(_clause_map()),
        **{f"{group}.md": _page(_group(group, rules)) for group, rules in groups.items()},
    }


def _page(lines: Iterable[str]) -> str:
    return "\n".join([_WRITTEN, "", *lines]) + "\n"


def _index(groups: dict[str, list[Rule]]) -> Iterator[str]:
    yield _RULES
    yield from (f"- **{class_}**: {MEANING[class_]}." for class_ in CLASSES)
    yield ""
    yield from table("rules", *CLASSES, "all")
    for group, rules in groups.items():
        yield row(f"[{group}]({group}.md): {_opening(group)}", *_counts(rules))
    yield row("all", *_counts(rule for rules in groups.values() for rule in rules))
    yield _SOURCES
    yield from table("KIP", "clauses", *STATUSES)
    for kip in kips().values():
        link = f"[{kip.id}]({_CLAUSES}#{anchor(kip.id)}): {escaped(kip.title)}"
        yield row(link, *_coverage(kip.clauses))
    yield row("all", *_coverage(select()))


def _coverage(clauses: Collection[Clause]) -> list[str]:
    counts = Counter(clause.status for clause in clauses)
    return [str(len(clauses)), *(str(counts[status] or "") for status in STATUSES)]


def _counts(rules: Iterable[Rule]) -> list[str]:
    counts = Counter(rule.class_ for rule in rules)
    return [*(str(counts[class_] or "") for class_ in CLASSES), str(counts.total())]


def _group(group: str, rules: list[Rule]) -> Iterator[str]:
    yield from (f"# Rules: {group}", "", f"{_opening(group)} [All rules](README.md).")
    for rule in rules:
        yield from ("", f"## {rule.id}", "")
        yield from describe(rule)


def describe(rule: Rule, folder: str = "") -> Iterator[str]:
    """All that the catalogue says of a rule; `folder` is where the clauses' page is."""
    yield f"**{escaped(rule.statement)}**"
    yield ""
    yield f"- Breach: it {escaped(rule.breach)}."
    yield f"- Class: {rule.class_}"
    yield f"- For: {', '.join(rule.applies)}"
    yield f"- Source: {linked(rule.source)}"
    yield f"- Why: {escaped(rule.rationale)}"
    yield f"- Harm: {escaped(rule.harm)} ({HARM_MEANING[rule.harm_level]})"
    if rule.remedy:
        yield f"- What to do: {escaped(rule.remedy)}"
    if rule.disputed:
        yield f"- Disputed: {escaped(rule.disputed)}"
    if rule.bugs:
        yield f"- Seen in: {', '.join(map(bug_link, rule.bugs))}"
    if clauses := asking(rule.id):
        links = (f"[{clause.id}]({folder}{_CLAUSES}#{anchor(clause.id)})" for clause in clauses)
        yield f"- Clauses: {', '.join(links)}"
    yield from _example(rule)


def _example(rule: Rule) -> Iterator[str]:
    """Yield the right bytes beside wrong ones, or the reason for a missing example."""
    if why := rule.not_shown:
        yield f"- No example: {escaped(why)}"
    if example := examples().get(rule.id) or exchanges().get(rule.id):
        yield from ("", "Example:", "", "```text", *example.lines(), "```")


def _clause_map() -> Iterator[str]:
    yield _CLAUSE_MAP
    yield f"{coverage(select())}. [All rules](README.md)."
    for kip in kips().values():
        yield from _kip(kip)


def _kip(kip: Kip) -> Iterator[str]:
    yield from ("", f"## {kip.id}", "", f"{escaped(kip.title)}. {coverage(kip.clauses)}.")
    section = ""
    for clause in kip.clauses:
        if clause.section != section:
            section = clause.section
            yield from ("", f"### {escaped(section)}", "")
            yield from table("", "clause", "status", "by")
        yield row(f'<a id="{anchor(clause.id)}"></a>{clause.id}', *_clause(clause))


def _clause(clause: Clause) -> Iterator[str]:
    note = f"<br>*{escaped(clause.note)}*" if clause.note else ""
    yield escaped(clause.text) + note
    classes = deciding_classes(clause)
    yield f"{clause.status} ({classes[0]})" if classes else clause.status
    yield "<br>".join(_grounds(clause))


def _grounds(clause: Clause) -> Iterator[str]:
    """Yield what decides a clause, rule by rule, or why nothing does."""
    if clause.why:
        yield escaped(clause.why)
    for name in clause.rules:
        rule = catalogue()[name]
        caught = ", ".join(f"`{mutant}`" for mutant in clause.mutants.get(name, ()))
        link = f"[{name}]({rule.group}.md#{anchor(name)})"
        yield f"{link} ({rule.class_}): {caught}" if caught else link
    if clause.leaves:
        yield f"Left to Apache Kafka: {escaped(clause.leaves)}"


def table(*heads: str) -> Iterator[str]:
    """The first two lines of a table."""
    yield row(*heads)
    yield row(*("---" for _ in heads))


def row(*cells: str) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def anchor(heading: str) -> str:
    """Return the anchor of a heading: lower case, dashes for blanks, other signs left out."""
    return re.sub(r"[^a-z0-9_-]", "", heading.lower().replace(" ", "-").replace("/", "-"))


def escaped(text: str) -> str:
    """A text without what would be markup."""
    return re.sub(r"([\\`*<|\[\]]|\b_|_\b)", r"\\\1", text)


def linked(source: str) -> str:
    """A source, each text that it names linked."""
    return "".join(
        f"[{escaped(text)}]({address})" if address else escaped(text)
        for text, address in cited(source)
    )


def bug_link(name: str) -> str:
    """Return a link to the report of a public defect."""
    if re.fullmatch(r"KAFKA-\d+", name):
        return f"[{name}](https://issues.apache.org/jira/browse/{name})"
    if name.startswith("CVE-"):
        return f"[{name}](https://www.cve.org/CVERecord?id={name})"
    if found := re.fullmatch(r"([\w.-]+/[\w.-]+)#(\d+)", name):
        return f"[{name}](https://github.com/{found[1]}/issues/{found[2]})"
    return name


def _opening(group: str) -> str:
    """The comment at the top of a group's file, which says what the group is about."""
    lines = (files(__package__) / f"{group}.toml").read_text(encoding="utf-8").splitlines()
    comment = []
    for line in lines:
        if not line.startswith("#"):
            break
        comment.append(line.lstrip("# "))
    return escaped(" ".join(comment))
