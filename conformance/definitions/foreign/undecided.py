"""Definitions that leave open how bytes are written, in whatever form: they are not compared.

Whoever loads a definition refuses these too, and asks the same rules.
"""

from __future__ import annotations

from dataclasses import replace

from conformance.definitions.foreign.interface import Imported
from conformance.schema.finding import NOT_UNDERSTOOD, BrokenRule
from conformance.schema.text.decisive import decisive
from conformance.schema.text.problem import Problem
from conformance.schema.text.reading import unique


def decided(each: Imported) -> Imported:
    """The same, but without its message, and with what is wrong, where it leaves bytes open."""
    problems = unique(decisive(each.message)) if each.message else []
    if not problems:
        return each
    found = tuple(_finding(each, problem) for problem in problems)
    return replace(each, message=None, findings=(*each.findings, *found))


def _finding(each: Imported, problem: Problem) -> BrokenRule:
    line = each.line_of(problem.path)
    return BrokenRule(NOT_UNDERSTOOD, each.file, line, problem.place, problem.reason)
