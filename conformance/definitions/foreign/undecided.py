"""Definitions, of any form, that leave open how bytes are written: they are not compared.

The loader of definitions refuses them too, by the same rules.
"""

from __future__ import annotations

from dataclasses import replace

from conformance.definitions.foreign.interface import Imported
from conformance.schema.finding import NOT_UNDERSTOOD, BrokenRule
from conformance.schema.text.decisive import decisive
from conformance.schema.text.problem import Problem
from conformance.schema.text.reading import unique


def decided(each: Imported) -> Imported:
    """Return a definition; one that leaves bytes open has findings in place of its message."""
    problems = unique(decisive(each.message)) if each.message else []
    if not problems:
        return each
    found = tuple(_finding(each, problem) for problem in problems)
    return replace(each, message=None, findings=(*each.findings, *found))


def _finding(each: Imported, problem: Problem) -> BrokenRule:
    line = each.line_of(problem.path)
    return BrokenRule(NOT_UNDERSTOOD, each.file, line, problem.place, problem.reason)
