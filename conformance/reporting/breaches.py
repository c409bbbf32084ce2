"""A finding in words: what is wrong, whom it hurts, and what to do about it.

What is wrong is a clause whose subject is the target: `refuses a tag that it does not know`. A
breach as its rule tells it is that of an answer. Of a target that ended or stalled it says where
that happens; what was asked for then is taken out of the breach.
"""

from __future__ import annotations

import re

from conformance.results.lines import BEHIND, ENDED_BY_ONE, ONE_ALONE, Finding
from conformance.results.publish import WITHHELD
from conformance.results.text import counted
from conformance.rules import catalogue

_LOOKS_LIKE = re.compile(r"^an? \w+ that | \((?:mutant|habit) \w+\)")
_GIVEN = re.compile(
    r"(?:fails (?:on|(?=at ))|misreads(?: or refuses)?|crashes or hangs on|takes"
    r"|does not (?:refuse(?! to\b)|(?:just )?hang up on)) ?(?P<what>.+)"
)
"""A breach that says what the target was given."""
_WRONG = re.compile(r"gets (?:it wrong (?P<which>.+)|(?P<what>.+?),? wrong(?P<rest>.*))")
_FAILS = re.compile(r"fails (?:for good )?(?P<when>(?:when|where|as) .+)")
_WRITES = re.compile(r"miswrites (?P<what>.+)")
_DOES_NOT = re.compile(r"does not (?P<do>.+)")
_NOTHING = re.compile(
    r"(?P<verb>\w+) (?:nothing (?P<of>of )?(?:more )?|(?P<no>no )(?=error|version))"
)
_DOES = re.compile(r"(?P<verb>\w+)(?:(?P<also> (?:or|and) )(?P<second>\w+s)\b)?(?P<rest>.*)")
_ENDED = re.compile(r": (?:crash|hang): ")
"""What stands in a cause ahead of what is said of a case that ended or stalled the target."""
_BASES = {"does": "do", "has": "have", "goes": "go", "is": "be"}

_HARMS = {
    "crash": "Its process ends: everything that it serves stops until it is started again.",
    "hang": "It stalls: whatever waits for it waits until somebody ends it.",
    "must": "A peer that keeps to the protocol reads something else, or loses the connection.",
    "harden": "Bad input goes further than its edge, whoever sends it.",
    "kafka": "Programs that are used to Apache Kafka find something else here.",
}
"""Whom a defect hurts of which no one rule tells, by its kind."""
_GUARD = (
    "Check what came before it is used, and let the one request or connection fail, nothing else."
)
_BOUND = "Set a limit to each wait and each loop, and let the one request or connection fail then."
_LOOK = (
    "Run the smallest case, mend what differs in it, and judge again: the others may go with it."
)

_WRITTEN = re.compile(r"other bytes were written: offset \d+ \((?P<path>[^()]+), (?P<kind>\w+)\)")
_READ = re.compile(
    r"another value was read: (?P<path>[^:]+): expected (?P<due>.+), got (?P<got>[^,()]+)"
)
"""What a cause says of an answer: where it differs, which is all that is known of some."""


def in_a_clause(finding: Finding) -> str:
    """What it looks like, else how it breaks the rule that tells most of it."""
    return f"(or its driver) {_clause(finding)}" if is_doubted(finding) else _clause(finding)


def is_doubted(finding: Finding) -> bool:
    """True if a client's driver may have brought it about, of which one case alone tells."""
    return finding.cause.endswith(ONE_ALONE)


def _clause(finding: Finding) -> str:
    if finding.diagnosis:
        return _LOOKS_LIKE.sub("", finding.diagnosis)
    if f": {ENDED_BY_ONE}" in finding.cause:
        return f"can crash on one of {counted(finding.count, 'case')} asked at the same time"
    if ends := _ends(finding):
        return f"can {ends} {_where(finding)}"
    if breach := breach_of(finding):
        return f"{breach}, and can {finding.ends}" if finding.ends else breach
    ops, _, rest = finding.cause.partition(" of ")
    messages, _, why = rest.partition(": ")
    if why.startswith("refused"):
        return f"refuses to {'write' if ops == 'encode' else 'read'} {messages}"
    if found := _WRITTEN.search(why):
        return f"miswrites {found['kind']} {found['path']}, in {messages}"
    if BEHIND in why:
        return f"writes bytes after the last field of {messages}"
    if found := _READ.search(why):
        return f"misreads {found['path']} as {found['got']}, not {found['due']}, in {messages}"
    return f"fails on {rest or ops}"


def breach_of(finding: Finding) -> str:
    """How it breaks the rule that tells most of it.

    Empty where the catalogue does not have that rule, or too few of the cases break it; and of a
    target that ends or stalls: that is no breach as the rule tells it.
    """
    rule = catalogue().get(finding.rules[0])
    return rule.breach if rule and finding.is_led and not _ends(finding) else ""


def harm_of(finding: Finding) -> str:
    """Whom it hurts."""
    harm = "" if _ends(finding) in _HARMS else finding.harm  # what was seen, and no rule's guess
    return harm or _HARMS[finding.ends or finding.kind or "must"]


def remedy_of(finding: Finding) -> str:
    """What to do about it."""
    if ends := _ends(finding):
        return _BOUND if ends == "hang" else _GUARD
    rule = catalogue().get(finding.rules[0])
    remedy = (rule.remedy if rule and finding.is_led else "") or _LOOK
    return f"{remedy[0].upper()}{remedy[1:].rstrip('.')}."  # those of definitions are no sentences


def occasion(breach: str) -> str:
    """Where the target was when a rule was broken: what it was given, or had to do.

    >>> occasion("does not join again when it is fenced")
    'where it has to join again when it is fenced'
    """
    if found := _GIVEN.fullmatch(breach):
        what = found["what"]
        return what if what.startswith("at ") else f"on {what}"
    if found := _WRONG.fullmatch(breach):
        return f"over {found['which'] or found['what'] + found['rest']}"
    if found := _FAILS.fullmatch(breach):
        return found["when"]
    if found := _WRITES.fullmatch(breach):
        return f"where it writes {found['what']}"
    if found := _DOES_NOT.fullmatch(breach):
        return f"where it has to {found['do']}"
    if found := _NOTHING.match(breach):
        link = "an " if found["no"] and breach[found.end()] in "aeiou" else "a " * bool(found["no"])
        rest = f"{link or found['of'] or ''}{breach[found.end() :]}"
        return f"where it has to {_base(found['verb'])} {rest}"
    found = _DOES.fullmatch(breach)
    assert found, "a breach begins with a verb"
    also = f"{found['also']}{_base(found['second'])}" if found["also"] else ""
    return f"where it must not {_base(found['verb'])}{also}{found['rest']}"


def _base(verb: str) -> str:
    """The verb of a breach, which is in the third person, after `to` or `not`."""
    if verb in _BASES:
        return _BASES[verb]
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if verb.endswith(("sses", "shes", "ches", "xes", "zzes")) else verb[:-1]


def _ends(finding: Finding) -> str:
    """What its smallest case does to the target, "" where that is answered wrong.

    Older results that are published do not say which.
    """
    if finding.case == WITHHELD:
        return finding.ends or ("" if finding.kind else "crash or hang")
    return finding.ends if _ENDED.search(finding.cause) else ""


def _where(finding: Finding) -> str:
    rule = catalogue().get(finding.rules[0])
    if rule:
        return occasion(rule.breach)
    asked = finding.cause.partition(": ")[0]
    return "on what it was sent" if asked == WITHHELD else f"on {asked}"
