"""Causes that failures show by themselves, whatever rules their cases were made for.

A case is made for a rule, and fails for any reason. If the answers differ from what is expected in
one way, that way is the cause: it says what is wrong, and what to do about it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Observed:
    """A cause that the answers themselves show, in a clause whose subject is the target.

    `lead` is the rule that is broken. If `harm` or `remedy` is empty, the harm or remedy of that
    rule applies. `is_exact` is False if the clause says where the answers differ, but not how.
    """

    says: str
    lead: str
    harm: str = ""
    remedy: str = ""
    is_exact: bool = True
