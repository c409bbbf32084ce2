"""Sorts of failed cases: what a case has in common with other cases of the same cause.

A codec that has one defect fails hundreds of cases under dozens of rules, on every message that
has the thing. A sort is the rules that a case broke and its keys. The verdicts of one case are
taken together first (`case_of`), and cases share a key

    in words    where the target refused or crashed with the same words, whatever it was asked;
                numbers, names and bytes in those words may vary, and so may the number of things;
    taken       where it took what the same rules have refused, or wrote null in any field that is
                not nullable;
    panicked    where it panicked in place of refusing what the same rules have refused;
    exchanged   where a broker broke one rule, or left one API unserved or without its results in
                one way, or left requests in silence that can't be read, whatever is wrong in them;
    visited     where a client broke one rule in one API, or in the same words of its driver;
    forwarded   where a proxy broke one rule in one API, or in the same words, or where a malformed
                frame did the same to others;
    in kind     where it read or wrote something else at fields of one type, in one way, under the
                same rules, or at one field of one message, whatever the rules. The rule on the
                types of all fields alone says nothing of messages beside the one that breaks it;
                that on the order of an integer's bytes says the same of every type and side;
    in place    where one field of one message is read or written wrong, in whatever operation.

Cases that share one key have one cause, and so do two cases that both share a key with a third
(`linked`). A refusal without words says nothing, so refusals without words are alike only if they
break the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from conformance.reporting.forwarded import sort_of_harm
from conformance.reporting.harms import ENDED, panicked, was_unreadable
from conformance.reporting.leading_rules import FIELDS
from conformance.reporting.nulls import writes_null
from conformance.reporting.reversed_bytes import BIG_ENDIAN, is_reversed
from conformance.reporting.said import alike_words, one_wording
from conformance.reporting.unread_fields import unread_field
from conformance.reporting.visited import NOT_NEGOTIATED, malformed, words_of_end
from conformance.results.lines import (
    BEHIND,
    BEYOND,
    ENDED_BY_ONE,
    EXCHANGE,
    FORWARD,
    VISIT,
    Verdict,
)

Key = tuple[str, ...]
Sort = tuple[Key, tuple[Key, ...]]
"""The rules that a case broke, and the keys that it shares with other cases of one cause."""
_HOW_IT_ENDED = re.compile(
    r": (?:nothing came|the connection was (?:closed|torn down)|more was announced[^()]*)"
    r"(?: \(.*\))?$"
)
"""The ways in which a forwarded frame did not arrive, which do not distinguish causes."""
_INDEX = re.compile(r"\[\d+\]")
_IN_HEADERS = {"requestApiKey", "requestApiVersion", "correlationId", "clientId"}
_PART = re.compile(r"(_tags)?\(\w+\)$")
_OF_NULL = re.compile(r": expected (?:None|null), got |, got (?:None|null)$")
_EXHAUSTED = re.compile(r"\bmemory\b", re.IGNORECASE)
"""Last words that say nothing of the place where a program asked for too much memory."""
_SHAPES = (": missing", " elements, got ", "has no such field", "got the end", "got null")
IN_EACH_API = frozenset(
    {
        "api-versions.advertised-is-served",
        "api-versions.any-request-served",
        "results.one-for-each",
    }
)
"""Rules of brokers that have a separate cause in each API."""
_EMPTY, _OTHER_VERSION = "empty", "other version"
_LETTERS_OF_STUB = 28
"""The length of a frame as hex that has a correlation id, and room for no result behind it."""
_NUMBER = 8
"""The length of a correlation id as hex."""
_LONGEST_STUB = 200
"""The length of a frame as hex, up to which the same bytes for two versions are one cause."""
BODY_VERSION = "response-header.body-has-request-version"
"""The rule on a body of another version than that of its request."""
SIZES = frozenset({"framing.negative-size-closes", "framing.huge-size-closes"})
"""The rules about a size that no frame can have."""
_STAYS = "the connection stays"
_OF_OTHER_VERSION = "it is a whole "
EVERYWHERE = "everywhere"
"""The first word of a key that cases share in which a rule is broken that is kept in none."""
NEAR = "near"
"""The first word of a key that cases share which the same suspect fails, though otherwise."""
T = TypeVar("T")


def sort_of(case: Sequence[Verdict]) -> Sort:
    """Return the rules that a case broke, and the keys that it shares with others of one cause."""
    rules = tuple(sorted(verdict.rule for verdict in case))
    return rules, _keys(case[0], rules, is_null=writes_null(case))


def linked(keyed: Sequence[tuple[tuple[Key, ...], T]]) -> list[list[T]]:
    """Return the items in groups: those that share a key, or are linked by others, are together.

    Each item is given with its keys, of which it has at least one.
    """
    above: dict[Key, Key] = {}

    def top(key: Key) -> Key:
        while (higher := above.setdefault(key, key)) != key:
            key = higher
        return key

    for (first, *others), _ in keyed:
        for key in others:
            above[top(key)] = top(first)
    groups: dict[Key, list[T]] = {}
    for keys, item in keyed:
        groups.setdefault(top(keys[0]), []).append(item)
    return list(groups.values())


def _keys(first: Verdict, rules: Key, is_null: bool) -> tuple[Key, ...]:
    """Return the keys of a case: cases that share any one of them have one cause."""
    if first.detail.startswith(ENDED_BY_ONE):
        return ((first.op, first.detail),)
    if first.op == EXCHANGE:
        return _keys_of_exchange(first, rules)
    if harm := sort_of_harm(first):
        return tuple((first.op, rule, harm) for rule in rules)
    if first.op == FORWARD:
        api = first.message.removesuffix("Request").removesuffix("Response")
        shared = (shared_words(first), ""), ("", api)
        return tuple((first.op, rule, *key) for rule in rules for key in shared)
    if end := words_of_end(first):  # one rule broken in one API is one cause, however that ended
        both = (alike_words(end, first.message), ""), ("", first.message)
        return tuple((first.op, rule, *key) for rule in rules for key in both)
    if first.op == VISIT and first.verdict not in ENDED and NOT_NEGOTIATED.intersection(rules):
        return ((first.op, "versions"),)
    # A diagnosis may be of one message alone.
    place = ("at", first.message, *rules, shared_words(first))
    if panicked(first):
        return ("panicked", *rules), place
    if first.verdict in ENDED or first.outcome != "value":
        words = shared_words(first)
        is_ended = first.op == VISIT and first.verdict in ENDED  # its words depend on what came
        is_vague = words.endswith(":") or (is_ended and bool(_EXHAUSTED.search(words)))
        alike = (first.verdict, one_wording(words), *(rules if is_vague else ()))
        same = ((first.verdict, rule, first.message) for rule in rules if is_ended)
        return alike, place, *same
    if isinstance(first.expected, str) and first.expected.startswith("refused:"):
        beyond = [("taken", BEYOND)] if BEYOND in first.detail else []  # nothing is checked then
        nulls = [("taken", "null")] if is_null else []
        return ("taken", *rules), place, *beyond, *nulls
    return _keys_of_difference(first, rules)


def _keys_of_exchange(first: Verdict, rules: Key) -> tuple[Key, ...]:
    """Return the keys of a case of a broker, whose control cases have told its rule from others."""
    if was_unreadable(first):  # no reader gets to what each rule asks
        return ((first.op, "unreadable"),)
    if IN_EACH_API.intersection(rules):
        how = _how_unserved(first)
        same = [(first.op, first.message, how)] if how in (_EMPTY, _OTHER_VERSION) else []
        if first.outcome == "reply" and _NUMBER < len(str(first.actual)) <= _LONGEST_STUB:
            same.append((first.op, first.message, str(first.actual)[_NUMBER:]))
        return *((first.op, rule, first.message, how) for rule in rules), *same
    keys = tuple((first.op, rule) for rule in rules)
    if SIZES.issuperset(rules) and first.verdict not in ENDED and _STAYS in first.detail:
        return *keys, (first.op, _STAYS)
    return (*keys, (first.op, first.message, _OTHER_VERSION)) if BODY_VERSION in rules else keys


def _keys_of_difference(first: Verdict, rules: Key) -> tuple[Key, ...]:
    """Return the keys of a case in which something else was read or written."""
    path, kind = _difference(first)
    sort = (first.op, shared_words(first), kind)
    at_field = ("field", *sort, first.message, path)
    if rules == (BIG_ENDIAN,) and is_reversed(first):  # so it is in all messages
        return ("rules", *rules), at_field
    where = (first.message,) if rules == (FIELDS,) else ()
    # Whatever the operation: a round trip reads as a decoder does, and writes as an encoder does.
    in_place = [("place", kind.partition(" ")[0], first.message, path)] if path else []
    return ("rules", *sort, *where, *rules), at_field, *in_place


def _how_unserved(verdict: Verdict) -> str:
    """Return the way in which a broker does not serve a request, as far as it tells causes apart.

    Versions of one API that fail in different ways have different causes. A field of the request
    that is not read is one cause, in whichever way that ends.
    """
    _, field = unread_field(verdict)
    if field:
        return f"{field} is not read"
    if verdict.outcome != "reply":
        return "no answer"
    if verdict.actual and len(str(verdict.actual)) <= _LETTERS_OF_STUB:
        return _EMPTY
    return _OTHER_VERSION if _OF_OTHER_VERSION in verdict.detail else "unreadable"


def _difference(verdict: Verdict) -> Key:
    """Return the path of the first field that differs, and the kind of the difference."""
    row = next((row for row in verdict.annotated if row.differs), None)
    said = verdict.first_difference or ""
    path = row.path if row else said.partition(":")[0]
    shape = next((shape for shape in _SHAPES if shape in said), "")
    return _INDEX.sub("[…]", path), f"{row.type if row else ''} {shape}"


def bytes_that_differ(verdict: Verdict) -> list[str]:
    """Return the kind of the first bytes that differ in an answer, an empty list if unknown.

    A kind is a type, a length, or a part of a tag section, for example.
    """
    said = verdict.first_difference or ""
    if said.endswith(_SHAPES[0]):
        return ["missing"]
    if _SHAPES[2] in said:
        return ["surplus"]
    row = next((row for row in verdict.annotated if row.differs and row.type), None)
    if row is None and any(row.differs and row.path == BEHIND for row in verdict.annotated):
        return ["end"]
    if row is None:
        return ["null"] if _OF_NULL.search(verdict.first_difference or "") else []
    if row.path.startswith("header.") or _PART.sub("", row.path) in _IN_HEADERS:
        return ["header"]
    part = _PART.search(row.path)
    if part is None:
        return [row.type]
    return [f"{row.type}(length)" if part[0] == "(length)" else part[0]]


def case_of(verdict: Verdict) -> Key:
    """Return what verdicts that count as one case have in common.

    For a visit the fault is part of it, since a request that can't be read is another cause than
    what results from the rest of the visit.
    """
    what = verdict.detail if verdict.op == VISIT else ""
    return verdict.case, verdict.op, what


def shared_words(verdict: Verdict) -> str:
    """Return the words on a case that all cases of one cause share.

    In a client's visit the name of the request without `Request` is replaced as well.
    """
    if found := malformed(verdict):
        return f"{found[0]} {alike_words(found[1], '')}"  # that request, whatever was played
    detail = _HOW_IT_ENDED.sub("", verdict.detail) if verdict.op == FORWARD else verdict.detail
    words = alike_words(detail, verdict.message)
    name = verdict.message.removesuffix("Request")
    return words.replace(f"{name} ", "… ") if verdict.op == VISIT and name else words
