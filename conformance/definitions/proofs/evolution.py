"""Two releases compared: every definition of the newer one, with its findings proven."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.definitions.evolution.breach import Breach
from conformance.definitions.evolution.evolving import Changed, evolved, place_of
from conformance.definitions.evolution.pairing import Matched
from conformance.definitions.proofs.evolution_proof import Proven, prove
from conformance.schema.finding import BrokenRule, Examined


def examined(matched: Matched) -> Iterator[Examined]:
    """Yield the newer release's definitions with their breaches; not whole if unread in either."""
    unread_before = {each.name for each in matched.old.unread}
    for changed in evolved(matched):
        message = changed.new.message
        yield Examined(
            file=changed.new.source.file,
            name=message.name,
            version=message.valid.high,
            findings=tuple(sorted(_findings(changed), key=lambda each: each.line)),
            whole=message.name not in unread_before,
        )
    for each in matched.new.unread:
        yield Examined(each.file, each.name, -1, (), whole=False)


def _findings(changed: Changed) -> Iterator[BrokenRule]:
    return (_finding(changed, *broken) for broken in changed.breaches)


def _finding(changed: Changed, rule: str, breach: Breach) -> BrokenRule:
    at = place_of(changed, breach)
    proven = prove(breach, breach.step) if breach.step else None
    return BrokenRule(
        rule=rule,
        file=at.file,
        line=at.line,
        place=at.name,
        reason=_reason(breach, proven),
        proof=proven.smallest if proven else None,
    )


def _reason(breach: Breach, proven: Proven | None) -> str:
    versions = f" ({_ranges(breach.versions)})" if breach.versions else ""
    whom = f": {proven.whom}" if proven else ""
    return f"{breach.reason}{versions}{whom}"


def _ranges(versions: tuple[int, ...]) -> str:
    """Return ascending versions in words, as a range if they have no gap."""
    low, high = versions[0], versions[-1]
    if len(versions) == 1:
        return f"version {low}"
    if len(versions) == high - low + 1:
        return f"versions {low}-{high}"
    return f"versions {', '.join(map(str, versions))}"
