"""Messages as a whole: the range of their versions, their types and their api keys."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.definitions.evolution.breach import Breach, evolving
from conformance.definitions.evolution.pairing import Matched, Pair
from conformance.definitions.evolution.release import Definition

API_KEY_KEPT = "evolution.api-key-kept"


@evolving("evolution.versions-follow")
def versions_follow(pair: Pair) -> Iterator[Breach]:
    """Yield breaches of valid versions; an unstable one may go, and a retyped message is exempt."""
    old, new = pair.old.message, pair.new.message
    if not new.valid or pair.retyped:
        return
    if not old.valid:
        yield Breach(f"{new.valid}, and retired before: no version was valid", key="validVersions")
        return
    newest = pair.old_release.stable_high(old)
    if new.valid.high < newest:
        yield Breach(f"ends at {new.valid.high}, and {newest} was out", key="validVersions")
    elif pair.new_release.stable_high(new) < newest:
        yield Breach(f"version {newest} may change, and was out", key="latestVersionUnstable")
    if new.valid.low < old.valid.low:
        yield Breach(
            f"begins at {new.valid.low}, and {old.valid.low} was the oldest one left",
            key="validVersions",
        )


@evolving(API_KEY_KEPT)
def api_key_kept(pair: Pair) -> Iterator[Breach]:
    """Yield breaches of type and api key; data that became a coordinator's had none to keep."""
    old, new = pair.old.message, pair.new.message
    if pair.retyped:
        return
    if old.type != new.type:
        yield Breach(f"a {new.type}, {old.type} before", key="type")
    elif old.api_key != new.api_key:
        yield Breach(f"api key {_key(new.api_key)}, {_key(old.api_key)} before", key="apiKey")


def _key(api_key: int | None) -> str:
    return "none" if api_key is None else str(api_key)


def api_keys_given_away(matched: Matched) -> Iterator[tuple[Definition, Breach]]:
    """Yield the new messages whose api key was another message's."""
    for definition in matched.fresh:
        message = definition.message
        before = matched.old.by_api_key.get((message.type, message.api_key or 0))
        if message.api_key is not None and before is not None:
            pair = Pair(matched.old, matched.new, before, definition)
            step = next((step for step in pair.stable if step.harmful), None)
            reason = f"api key {message.api_key} was that of {before.message.name}"
            yield definition, Breach(reason, key="apiKey", step=step)


RULES = (versions_follow, api_key_kept)
