"""Findings of results files that do not tell of what kind they are: it is made of their verdicts.

Files were written so until findings had a kind. Of published ones the cases that do harm have no
names, so that what a finding ends is what all of its rules were seen to end.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import msgspec

from conformance.results.lines import Finding
from conformance.results.publish import WITHHELD

_KINDS = ("must", "harden", "kafka")


def with_kind(
    finding: Finding, classes: Mapping[str, str], ended: Mapping[str, Set[str]]
) -> Finding:
    """The finding with its kind, and whether it crashes or hangs its target.

    `classes` are those of the rules that were judged, and `ended` has the crashes and hangs of
    each rule that has any.
    """
    if finding.kind:
        return finding
    seen = [ended.get(rule, frozenset()) for rule in finding.rules]
    common = frozenset.intersection(*map(frozenset, seen)) if seen else frozenset()
    ends = min(common, default="") if finding.case == WITHHELD else ""
    found = {classes.get(rule, "") for rule in finding.rules}
    kind = next((kind for kind in _KINDS if kind in found), "must")
    return msgspec.structs.replace(
        finding, kind=ends if ends and kind != "must" else kind, ends=ends
    )
