"""The catalogue of rules: what the suite demands of a target, and the reader of it.

The rules are data, and adding one is adding a table; nothing is registered elsewhere. A rule is one
table `[[rule]]` in the file of its group, so that `tags.unknown-skipped` is found in `tags.toml`.
Results, known-failures files and other people's notes refer to rules by id for years; the reader is
therefore strict: a misspelt key, an unknown class or an id in the wrong file is an error with the
file and the rule named, and never a rule that is silently weaker than it looks.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal, get_args

import msgspec

from conformance.errors import ConformanceError

RuleClass = Literal["must", "kafka", "lenient", "harden"]
CLASSES: tuple[RuleClass, ...] = get_args(RuleClass)
"""must: a KIP, Kafka's documentation or the message definitions say so. kafka: what Apache Kafka
does, stated nowhere. lenient: both answers are legal. harden: no crash, no unbounded allocation, no
endless loop, whatever the bytes."""

Applies = Literal["codec-decode", "codec-encode", "broker", "client", "proxy", "schema"]
APPLIES: tuple[Applies, ...] = get_args(Applies)

HarmLevel = Literal[
    "data-lost",
    "data-wrong",
    "process-lost",
    "connection-lost",
    "peers-differ",
    "nobody",
]
HARMS: tuple[HarmLevel, ...] = get_args(HarmLevel)
"""The consequences of a breach, the worst first: clients can't connect; data is lost; other data is
read or kept than was meant; a process ends or stalls; a connection is closed or useless; peers
differ, and go on; no peer is hurt.
"""

Seen = Literal["crash", "hang", "memory", "panic", "silent", "closed", "lived"]
"""The effect of a breach on the target: its process ended, it stalled, it took memory without
bounds, it panicked in place of an error, it said nothing and kept the connection, it ended the
connection where an answer is due, or none of these, and its answer alone was wrong.
"""

_ENDS: Mapping[Seen, re.Pattern[str]] = {
    "crash": re.compile(r"\bcrash|\bends? (?:the|every|its)\b|\bprocess .*\bends\b"),
    "hang": re.compile(
        r"\bhangs?\b|\bstalls?\b|\bfor ever\b|\bloop\b|\bbusy\b|\bwaits?\b|never ends"
    ),
    "memory": re.compile(r"\bmemory\b"),
}
"""The words of a harm that name one end of a process, by that end."""
_SLUG = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
_ID = re.compile(rf"(?P<group>{_SLUG})\.(?P<what>{_SLUG})")
_BREACH = re.compile(r"[a-z]+s [^\n]*[^\n.]")
_BUG = re.compile(r"[A-Z]+-\d+|CVE-\d{4}-\d+|[\w.-]+(?:/[\w.-]+)?#\d+")


LONGEST_BREACH = 55
"""The room that a line of 80 columns leaves beside number, class, and a count of five digits."""
PROFILES: Mapping[str, frozenset[str]] = {
    "spec": frozenset({"must", "harden"}),
    "kafka": frozenset({"must", "harden", "kafka"}),
}
"""The classes of rules that may fail a run, by profile."""


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One requirement.

    `statement` is one sentence; `breach` is a clause whose subject is the target, and is true of
    each target that breaks it; `source` names where it is stated (a KIP and its section, Kafka's
    documentation, the message definitions, or a Kafka class and release); `rationale` says what
    goes wrong for whom, `remedy` what its author changes in a program or definition that breaks it.
    `bugs` are public defects of this kind. `disputed` says where sources or implementations
    disagree.
    `harm` says whom a breach hurts and how, in a sentence, and `harm_level` how much. `harm_seen`
    says so where one breach in particular was seen, if that hurts otherwise, and `remedy_seen` what
    to change then, if that is something else. `stage` is
    `connecting` if a breach keeps clients from getting past the first exchange. `rests_on` are
    rules that its dialogue takes for granted, the most basic first. `shown_by` is the field that an
    example shows where others are unusual too, and `not_shown` why bytes can't show the rule.
    """

    id: str
    class_: RuleClass = msgspec.field(name="class")
    applies: tuple[Applies, ...]
    statement: str
    breach: str
    source: str
    rationale: str
    harm: str
    harm_level: HarmLevel
    harm_seen: Mapping[Seen, str] = {}
    remedy_seen: Mapping[Seen, str] = {}
    stage: Literal["connecting", ""] = ""
    remedy: str = ""
    bugs: tuple[str, ...] = ()
    disputed: str = ""
    rests_on: tuple[str, ...] = ()
    shown_by: str = ""
    not_shown: str = ""
    group: str

    def harm_if(self, seen: Seen) -> str:
        """Return whom a breach hurts if it was seen in this way, "" if the rule does not say.

        The harm of a wrong answer is not that of a process that ended, or of a panic, and the harm
        of one that hangs is not that of one that crashed.
        """
        if seen in self.harm_seen:
            return self.harm_seen[seen]
        if seen in ("lived", "silent", "closed"):
            return self.harm
        said = {each for each, words in _ENDS.items() if words.search(self.harm)}
        return self.harm if self.harm_level == "process-lost" and said <= {seen} else ""

    def verdict_on_breach(self, profile: str) -> Literal["fail", "note"]:
        """Return the verdict on a breach: a failure, unless the profile forgives the class."""
        return "fail" if self.class_ in PROFILES[profile] else "note"


@cache
def catalogue() -> dict[str, Rule]:
    """Return every rule by its id, in the order of the files and of the tables within them.

    Raises `ConformanceError` if a table is broken.
    """
    return read(files(__package__))


def read(folder: Traversable) -> dict[str, Rule]:
    """Return the rules of every `*.toml` in a folder, which may lie in a zip.

    Raises `ConformanceError`, with file, rule and reason, at the first broken table.
    """
    rules: dict[str, Rule] = {}
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not file.name.endswith(".toml"):
            continue
        for position, table in enumerate(_tables(file), start=1):
            rule = _rule(file.name, position, table)
            if rule.id in rules:
                raise _broken(file.name, rule.id, "the id is already taken")
            rules[rule.id] = rule
    return rules


def select(
    patterns: Iterable[str] = (),
    classes: Iterable[str] = (),
    applies: Iterable[str] = (),
    groups: Iterable[str] = (),
) -> list[Rule]:
    """Return the rules whose id matches a glob, of these classes, targets and groups.

    An argument that is left out restricts nothing; `codec` stands for both directions of a codec.
    Raises `ConformanceError` for a pattern that matches no rule, or an unknown class, target or
    group: a run that judges less than it was asked to would look like a pass. The list may be empty
    all the same, if the arguments exclude each other.
    """
    of_class = _known(classes, CLASSES, "class of rules", "classes")
    of_target = _known(applies, (*APPLIES, "codec"), "target", "targets")
    of_group = _known(groups, tuple(_groups()), "group of rules", "groups")
    chosen: set[str] = set()
    for pattern in patterns:
        chosen |= _matching(pattern)
    return [
        rule
        for rule in catalogue().values()
        if rule.class_ in of_class
        and rule.group in of_group
        and any(one in of_target or one.split("-")[0] in of_target for one in rule.applies)
        and (rule.id in chosen or not chosen)  # every pattern matched something, or there was none
    ]


def _groups() -> dict[str, None]:
    return dict.fromkeys(rule.group for rule in catalogue().values())


def _known(asked: Iterable[str], there: tuple[str, ...], what: str, all_: str) -> tuple[str, ...]:
    names = tuple(asked)
    for name in names:
        if name not in there:
            raise ConformanceError(f"there is no {what} {name!r}", _meant(name, there, all_))
    return names or there


def _meant(name: str, there: Sequence[str], all_: str) -> str:
    close = difflib.get_close_matches(name, there, n=3, cutoff=0.7)
    return f"did you mean {' or '.join(close)}?" if close else f"the {all_} are {', '.join(there)}"


def _matching(pattern: str) -> set[str]:
    matching = {rule_id for rule_id in catalogue() if fnmatchcase(rule_id, pattern)}
    if not matching:
        near = _near(pattern)
        remedy = f"did you mean {' or '.join(near)}?" if near else "list them with `rules list`"
        raise ConformanceError(f"no rule matches {pattern!r}", remedy)
    return matching


def _near(pattern: str) -> list[str]:
    """Rules that may have been meant: by a slip of the pen, by part of the name."""
    rules = list(catalogue())
    group, dot, rest = pattern.partition(".")
    if dot and group not in _groups():
        meant = difflib.get_close_matches(group, list(_groups()), n=3, cutoff=0.7)
        if with_some := [f"{near}.{rest}" for near in meant if _has_some(f"{near}.{rest}")]:
            return with_some
    if close := difflib.get_close_matches(pattern, rules, n=3, cutoff=0.7):
        return close
    words = set(re.split(r"[^a-z0-9]+", pattern.lower())) - {""}
    shared = {rule: len(words & set(re.split(r"[.-]", rule))) for rule in rules}
    best = max(shared.values(), default=0)
    return [rule_id for rule_id, count in shared.items() if count == best > 0][:3]


def _has_some(pattern: str) -> bool:
    return any(fnmatchcase(rule_id, pattern) for rule_id in catalogue())


def _tables(file: Traversable) -> list[dict[str, Any]]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _broken(file.name, None, str(error)) from error
    tables = document.pop("rule", [])
    if document:
        raise _broken(file.name, None, f"unknown key {next(iter(document))!r}")
    if not isinstance(tables, list) or not tables:
        raise _broken(file.name, None, "there is no [[rule]] table")
    return tables


def _rule(file_name: str, position: int, table: object) -> Rule:
    if not isinstance(table, dict):
        raise _broken(file_name, f"number {position}", "it is no table")
    name = table.get("id")
    label = name if isinstance(name, str) and name else f"number {position}"
    if "group" in table:
        raise _broken(file_name, label, "`group` comes from the id and is not given")
    group = file_name.removesuffix(".toml")
    try:
        rule = msgspec.convert({**table, "group": group}, Rule)
    except msgspec.ValidationError as error:
        raise _broken(file_name, label, str(error)) from error
    for flaw in _flaws(rule):
        raise _broken(file_name, label, flaw)
    return rule


def _flaws(rule: Rule) -> Iterator[str]:
    """Yield the flaws of a rule that its types don't rule out."""
    yield from _flaws_of_id(rule)
    yield from _flaws_of_texts(rule)
    yield from _flaws_of_lists(rule)


def _flaws_of_id(rule: Rule) -> Iterator[str]:
    parts = _ID.fullmatch(rule.id)
    if parts is None:
        yield "the id is not of the form group.what-it-demands"
    elif parts["group"] != rule.group:
        yield f"the id's group is {parts['group']!r}, the file's is {rule.group!r}"


def _flaws_of_texts(rule: Rule) -> Iterator[str]:
    for key in ("statement", "breach", "source", "rationale", "disputed", "harm", "remedy"):
        text = getattr(rule, key)
        if text != " ".join(text.split()):
            yield f"`{key}` has line breaks or spare blanks"
        if not text and key not in ("disputed", "remedy"):
            yield f"`{key}` is empty"
    for key in ("statement", "harm"):
        if not getattr(rule, key).endswith("."):
            yield f"`{key}` does not end with a full stop"
    yield from _flaws_of_what_was_seen(rule)
    if rule.breach and not _BREACH.fullmatch(rule.breach):
        yield "`breach` is no clause that begins with a verb in the third person, in small letters"
    if len(rule.breach) > LONGEST_BREACH:
        yield f"`breach` has more than {LONGEST_BREACH} letters"


def _flaws_of_what_was_seen(rule: Rule) -> Iterator[str]:
    for key in ("harm_seen", "remedy_seen"):
        for seen, text in getattr(rule, key).items():
            if not text.endswith(".") or text != " ".join(text.split()):
                yield f"`{key}.{seen}` is no sentence of one line"


def _flaws_of_lists(rule: Rule) -> Iterator[str]:
    if not rule.applies:
        yield "`applies` is empty"
    for key in ("applies", "bugs"):
        for entry, count in Counter(getattr(rule, key)).items():
            if count > 1:
                yield f"`{key}` holds {entry!r} twice"
    for bug in rule.bugs:
        if not _BUG.fullmatch(bug):
            yield f"{bug!r} in `bugs` names no issue"


def _broken(file_name: str, rule: str | None, reason: str) -> ConformanceError:
    where = f"{file_name}, rule {rule}" if rule else file_name
    return ConformanceError(f"broken rule table in {where}: {reason}")
