"""Text beyond ASCII that a codec refuses, in reading, in writing, or in both.

Such a codec has the strings of some fields, or of all, in ASCII where they are UTF-8. A mutant is
not enough for it: one that explains nothing but refusals is named only if no other failure is left,
and one that refuses such text everywhere is contradicted by each field that is in UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformance.codecs.diagnosis.refused import BEYOND_ASCII, reads, shows_side, traits_of
from conformance.codecs.diagnosis.shown import Find
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.reporting.findings import Cause
from conformance.reporting.observed import Observed
from conformance.reporting.sorts import Sort
from conformance.results.lines import Verdict

_NAMES_IT = re.compile(r"\bascii\b|latin-?1\b|iso-?8859|unmappable|ordinal not in range", re.I)
"""The words of a codec that does not have a letter in its encoding."""
_LEAST_CASES = 2
"""The least number of refused cases of a message if their words do not name it."""
_MOST_PASSED = 60
"""The most passed cases that are looked at; each is made again from its vector."""
_HARMS = {
    True: "cannot read a message in which a peer has such a name",
    False: "cannot send such a name, which other clients may have given",
}


def beyond_ascii(
    symptoms: Symptoms, sorts: Mapping[Sort, Cause], find: Find, *, named: bool
) -> dict[Sort, Observed]:
    """Return text beyond ASCII as the cause of sorts in which nothing else is refused.

    If `named`, their words have to name it; else no message with such text may have passed.
    """
    found = {
        sort: [each for each in cause.examples if _holds(find, each)]
        for sort, cause in sorts.items()
        if all(each.outcome == "rejected" for each in cause.examples)
        and cause.smallest.verdict == "fail"
    }
    own = [
        sort
        for sort, examples in found.items()
        if len(examples) == len(sorts[sort].examples)
        and (
            all(_NAMES_IT.search(each.detail) for each in examples)
            if named
            else _is_never_passed(symptoms, sorts[sort], find)
        )
    ]
    if not named:  # what is refused without such text too has another cause
        others = {cause.smallest.message for sort, cause in sorts.items() if sort not in own}
        own = [sort for sort in own if sorts[sort].smallest.message not in others]
    if not own:
        return {}
    return dict.fromkeys(own, _observed([each for sort in own for each in found[sort]], find))


def _holds(find: Find, verdict: Verdict) -> list[str]:
    """Return the paths of the fields of a case that hold text beyond ASCII."""
    return _paths(find, verdict.case)


def _paths(find: Find, case_id: str) -> list[str]:
    case = find(case_id)
    return sorted(t.path for t in traits_of(case) if t.value == BEYOND_ASCII) if case else []


def _is_never_passed(symptoms: Symptoms, cause: Cause, find: Find) -> bool:
    """True if several cases failed, and none with such text passed in their message."""
    message, is_read = cause.smallest.message, reads(cause.smallest)
    beside = [
        name
        for name in sorted(symptoms.cases())
        if name.startswith(f"{message}-v")
        and name.count("/") == 1
        and shows_side(name.partition("/")[2], is_read)
    ]
    is_asked = bool(beside) and cause.count >= _LEAST_CASES
    return is_asked and not any(_paths(find, name) for name in beside[:_MOST_PASSED])


def _observed(examples: list[Verdict], find: Find) -> Observed:
    """Return what is reported on these refusals."""
    first = min(examples, key=lambda each: (each.message, each.case))
    sides = sorted({reads(each) for each in examples}, reverse=True)
    verbs = " and ".join("read" if side else "write" for side in sides)
    messages = {each.message for each in examples}
    said = f"refuses to {verbs} text beyond ASCII, "
    said += f"such as in {_holds(find, first)[0]} of {first.message}"
    if len(messages) > 1:
        said += f", in {len(messages)} messages"
    harm = f"The application {', and '.join(_HARMS[side] for side in sides)}."
    remedy = "Read and write all strings as UTF-8, whichever letters they hold."
    return Observed(said, "primitives.string-plain-utf8", harm=harm, remedy=remedy)
