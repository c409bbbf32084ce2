"""A finding in words: the fault, its harm, and the remedy.

The fault is a clause whose subject is the target: `refuses a tag that it does not know`. The breach
in the words of its rule fits a wrong answer. For a target that ended or stalled, the clause says on
which occasion; the occasion is taken from the rule's breach.
"""

from __future__ import annotations

import re

from conformance.reporting.said import refused_while_encoding
from conformance.reporting.sorts import IN_EACH_API
from conformance.results.lines import BEHIND, ENDED_BY_ONE, ONE_ALONE, PANICKED, Finding
from conformance.results.publish import WITHHELD
from conformance.results.text import counted
from conformance.rules import CLASSES, catalogue

_LOOKS_LIKE = re.compile(r"^an? \w+ that | \((?:mutant|habit|draft|an edit of) \w+\)")
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
"""The part of a cause in front of the words about a case that ended or stalled the target."""
_REFUSED = re.compile(r"(?:decode|encode|roundtrip)\b[^:]*: refused(?: while it \w+)?: ")
_OF_ONE_API = re.compile(r"exchange of (?P<api>\w+)Request: ")
_BASES = {"does": "do", "has": "have", "goes": "go", "is": "be"}

_HARMS = {
    "crash": "Its process ends: everything that it serves stops until it is started again.",
    "hang": "It stalls: whatever waits for it waits until somebody ends it.",
    "must": "A peer that keeps to the protocol reads something else, or loses the connection.",
    "harden": "Bad input goes further than its edge, whoever sends it.",
    "kafka": "Programs that are used to Apache Kafka find something else here.",
}
"""The harm of a defect that no single rule describes, by its kind."""
_REFUSALS = {
    re.compile(r"(?:decode|roundtrip)\b[^:]*: refused(?: while it decoded)?: "): (
        "A message that a peer may send can't be read: its request or answer is lost, and as a "
        "rule the connection."
    ),
    re.compile(r"(?:encode|roundtrip)\b[^:]*: refused(?: while it encoded)?: "): (
        "A message that is legal can't be sent."
    ),
}
"""The harm of a refusal that no single rule describes, by the beginning of its cause."""
_GUARD = (
    "Check what came, and that it came, before it is used, and let the one request or connection "
    "fail, nothing else."
)
_BOUND = "Set a limit to each wait and each loop, and let the one request or connection fail then."
_PANIC_HURTS = (
    "A program that gives such a value and does not stop the panic ends, or its thread does. "
    "Nothing is sent, so no peer is hurt."
)
_NO_PANIC = "Return an error in place of the panic, or document which values the writer panics on."
_LOOK = (
    "Run the smallest case, mend what differs in it, and judge again: the others may go with it."
)

_WRITTEN = re.compile(
    r"other bytes were written: offset \d+ \((?P<path>[^,()]+(?:\(\w+\))?), (?P<kind>\w+)\)"
)
_NOT_GIVEN = re.compile(r"another value was read: (?P<path>[^:]+): missing")
_READ = re.compile(
    r"another value was read: (?P<path>[^:]+): expected (?P<due>.+), got (?P<got>[^,()]+)"
)
"""The words of a cause about an answer: where it differs, which is all that is known of some."""


def class_of(finding: Finding) -> str:
    """Return the class of the gravest rule that a finding breaks, "" if none is known.

    If it ends the target, that is the class of the rule whose words describe it.
    """
    if finding.kind in CLASSES:
        return finding.kind
    leading = catalogue().get(finding.rules[0])
    if leading and finding.is_led:
        return leading.class_
    known = [catalogue()[rule].class_ for rule in finding.rules if rule in catalogue()]
    return min(known, key=CLASSES.index, default="")


def in_a_clause(finding: Finding) -> str:
    """Return the diagnosis of a finding, else how it breaks the rule that describes it best."""
    return f"(or its driver) {_clause(finding)}" if is_doubted(finding) else _clause(finding)


def is_doubted(finding: Finding) -> bool:
    """True if a client's driver may be the cause, since only one case shows the finding."""
    return finding.cause.endswith(ONE_ALONE)


def _clause(finding: Finding) -> str:
    if finding.diagnosis:
        return _LOOKS_LIKE.sub("", finding.diagnosis)
    if finding.what:
        return finding.what
    if f": {ENDED_BY_ONE}" in finding.cause:
        return f"can crash on one of {counted(finding.count, 'case')} asked at the same time"
    if ends := _ends(finding):
        return f"can {ends} {_where(finding)}"
    if breach := breach_of(finding):
        return f"{breach}, and can {finding.ends}" if finding.ends else breach
    return _observation(finding)


def _observation(finding: Finding) -> str:
    """Return what the cases of a finding show that no rule and no known defect describes."""
    ops, _, rest = finding.cause.partition(" of ")
    messages, _, why = rest.partition(": ")
    if why.startswith("refused"):
        return f"refuses to {_refused_side(ops, why)} {messages}"
    own = finding.case.partition("-v")[0]
    is_one = messages.partition(", where ")[0] == own
    such, of_own = ("", "") if is_one else ("a field, such as ", f" of {own},")
    if found := _WRITTEN.search(why):
        which = f"{found['kind']} " if is_one else f"a field of type {found['kind']}, such as "
        return f"miswrites {which}{found['path']}{of_own or ','} in {messages}"
    if found := _NOT_GIVEN.search(why):
        return f"does not give {such}{found['path']}{of_own or ','} in {messages}"
    if BEHIND in why:
        return f"writes bytes after the last field of {messages}"
    if found := _READ.search(why):
        read = f"{such}{found['path']}{of_own}"
        return f"misreads {read} as {found['got']}, not {found['due']}, in {messages}"
    return f"fails on {rest or ops}"


def _refused_side(ops: str, why: str) -> str:
    """Return what is refused in these operations: to read, to write, or both.

    More operations than are named are of both sides.
    """
    is_written = "encode" in ops or refused_while_encoding(why)
    is_read = "decode" in ops or not is_written
    if (is_read and is_written) or "operations" in ops:
        return "read and write"
    return "read" if is_read else "write"


def breach_of(finding: Finding) -> str:
    """Return how a finding breaks the rule that describes it best, "" if no words fit.

    None fit if the catalogue lacks that rule, if too few of the cases break it, or if the target
    ends or stalls, which the rule's own words do not describe. A panic of a writer has words of its
    own.
    """
    if _panics(finding):
        return f"panics in place of an error {_where(finding)}"
    rule = catalogue().get(finding.rules[0])
    if not rule or not finding.is_led or _ends(finding):
        return ""
    if rule.id in IN_EACH_API and (asked := _OF_ONE_API.match(finding.cause)):
        return f"{rule.breach}, in {asked['api']}"
    return _of_refusal(rule.breach) if _REFUSED.search(finding.cause) else rule.breach


def _of_refusal(breach: str) -> str:
    """Return the breach of a target that ends with an error, and gives no wrong answer."""
    found = _WRONG.fullmatch(breach)
    if found is None or found["what"] is None:
        return breach
    return f"fails with an error on {found['what']}{found['rest']}"


def harm_of(finding: Finding) -> str:
    """Return whom the finding hurts, and how."""
    if _panics(finding):
        return finding.harm or _PANIC_HURTS
    if finding.harm:
        return finding.harm
    refusals = (harm for cause, harm in _REFUSALS.items() if cause.match(finding.cause))
    usual = _HARMS[finding.ends or finding.kind or "must"]
    return usual if finding.ends else next(refusals, usual)


def remedy_of(finding: Finding) -> str:
    """Return what to do about the finding.

    A rule of class `harden` is about ends and stalls, so that its own remedy fits them; that of any
    other rule is for a wrong answer.
    """
    if finding.remedy:
        return finding.remedy
    rule = catalogue().get(finding.rules[0])
    if ends := _ends(finding):
        own = rule.remedy if rule and rule.class_ == "harden" else ""
        return _sentence(own) if own else _BOUND if ends == "hang" else _GUARD
    if _panics(finding):
        return _NO_PANIC
    return _sentence((rule.remedy if rule and finding.is_led else "") or _LOOK)


def _sentence(remedy: str) -> str:
    """Return a remedy as a sentence: those of definitions are none."""
    return f"{remedy[0].upper()}{remedy[1:].rstrip('.')}."


def occasion(breach: str) -> str:
    """Return the occasion of a breach: what the target was given, or had to do.

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
    """Return the base form of a breach's verb, which is in the third person."""
    if verb in _BASES:
        return _BASES[verb]
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if verb.endswith(("sses", "shes", "ches", "xes", "zzes")) else verb[:-1]


def _ends(finding: Finding) -> str:
    """Return `crash` or `hang` if its smallest case ends or stalls the target, else ""."""
    if finding.case == WITHHELD:
        return finding.ends
    return finding.ends if _ENDED.search(finding.cause) else ""


def _panics(finding: Finding) -> bool:
    """True if its cause is a panic of a writer over what its own caller gave it."""
    return f": {PANICKED}" in finding.cause and not finding.ends


def _where(finding: Finding) -> str:
    rule = catalogue().get(finding.rules[0])
    if rule:
        return occasion(rule.breach)
    asked = finding.cause.partition(": ")[0]
    return "on what it was sent" if asked == WITHHELD else f"on {asked}"
