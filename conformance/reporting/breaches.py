"""What is wrong, in a clause whose subject is the target: `refuses a tag that it does not know`."""

from __future__ import annotations

import re

from conformance.results.lines import BEHIND, Finding
from conformance.results.publish import WITHHELD
from conformance.rules import catalogue

_LOOKS_LIKE = re.compile(r"^an? \w+ that | \((?:mutant|habit) \w+\)")
_GIVEN = re.compile(
    r"(?:fails on|does not refuse(?! to\b)|does not (?:just )?hang up on) (?P<what>.+)"
)
"""A breach that tells what the target was given."""

_WRITTEN = re.compile(r"other bytes were written: offset \d+ \((?P<path>[^()]+), (?P<kind>\w+)\)")
_READ = re.compile(
    r"another value was read: (?P<path>[^:]+): expected (?P<due>.+), got (?P<got>[^,()]+)"
)
"""What a cause says of an answer: where it differs, which is all that is known of some."""


def in_a_clause(finding: Finding) -> str:
    """What it looks like, else how it breaks the rule that tells most of it."""
    if finding.diagnosis:
        return _LOOKS_LIKE.sub("", finding.diagnosis)
    ends = _ends(finding)
    if ends:
        return _end_of(finding.rules[0], ends)
    if finding.is_led:
        return breach_of(finding) or finding.cause
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
    return f"fails on {rest}"


def breach_of(finding: Finding) -> str:
    """How it breaks the rule that tells most of it.

    Empty where the catalogue does not have that rule, or too few of the cases break it; and of who
    ends or stalls: that is no breach as the rule tells it, and what brings it about is not for
    everybody.
    """
    rule = catalogue().get(finding.rules[0])
    return rule.breach if rule and finding.is_led and not _ends(finding) else ""


def _ends(finding: Finding) -> str:
    """What it can do to the target, which older results that are published do not say."""
    return finding.ends or ("crash or hang" if finding.case == WITHHELD else "")


def _end_of(rule_id: str, ends: str) -> str:
    rule = catalogue().get(rule_id)
    given = _GIVEN.fullmatch(rule.breach) if rule else None
    return f"can {ends} on {given['what']}" if given else f"can {ends}: {rule_id}"
