"""The releases in which each version and field of a message came, changed and went.

A message is followed from release to release by its name, and by its api key if it was renamed. A
field is the same field under another name: a plain one by its position in the versions that two
releases share, a tagged one by its tag.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.definitions.evolution.fields import both
from conformance.definitions.evolution.pairing import Pair, match
from conformance.definitions.evolution.release import Definition, Release
from conformance.errors import ConformanceError
from conformance.schema.model import Field, Message
from conformance.schema.releases import Definitions
from conformance.schema.text.demand import spots
from conformance.schema.text.texts import Text
from conformance.schema.versions import NONE, Versions


class UnknownHistory(ConformanceError):
    """A message, or a field of one, that no release has."""


@dataclass(frozen=True)
class Range:
    """A message that is the same in all releases from `since` to `until`, both included."""

    since: str
    until: str
    name: str
    valid: Versions
    flexible: Versions
    unstable: bool
    came: tuple[Versions, ...] = ()
    went: tuple[Versions, ...] = ()


@dataclass(frozen=True)
class State:
    """A field in the releases from `since` to `until`; `place` is its dotted name in them."""

    since: str
    until: str
    place: str
    type: str
    versions: Versions
    tag: int | None
    nullable: Versions
    default: str | None

    @property
    def name(self) -> str:
        """The field's own name."""
        return self.place.rpartition(".")[2]


@dataclass(frozen=True)
class History:
    """A message through the releases, in ascending order; each field as its states."""

    name: str
    newest: str
    ranges: tuple[Range, ...]
    fields: tuple[tuple[State, ...], ...]

    def of(self, name: str) -> History:
        """Return the history with only the fields of this name, and the fields in them.

        Raises UnknownHistory.
        """
        kept = tuple(each for each in self.fields if _named(each, name.lower()))
        if not kept:
            places = {state.place for states in self.fields for state in states}
            raise UnknownHistory(f"{self.name} never had a field {name!r}", _near(name, places))
        return replace(self, fields=kept)


def _named(states: tuple[State, ...], wanted: str) -> bool:
    """True if a field or one around it ever had this name, as a dotted path or as its own alone."""
    places = [f".{state.place.lower()}." for state in states]
    return any(f".{wanted}." in place for place in places)


def history(name: str, releases: Sequence[Definitions]) -> History:
    """Return the history of a message by any of its names, over releases in ascending order.

    Raises UnknownHistory.
    """
    if not any(name in holder for holder in releases):
        names = {each for holder in releases for each in holder.names}
        raise UnknownHistory(f"no stored release has a message {name!r}", _near(name, names))
    line = _line(name, releases)
    return History(
        name=line[-1].message.name,
        newest=releases[-1].release,
        ranges=tuple(_ranges(line)),
        fields=tuple(_fields(line)),
    )


def _near(name: str, names: Iterable[str]) -> str:
    lower = {each.lower(): each for each in sorted(names)}
    found = [each for each in lower if name.lower() in each][:3]
    found = found or difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.6)
    near = " or ".join(lower[each] for each in found)
    return f"did you mean {near}?" if near else "names are as in the definitions"


@dataclass(frozen=True)
class _Stop:
    """The message in one release; `index` counts the releases."""

    index: int
    release: str
    message: Message
    unstable: bool


def _line(name: str, releases: Sequence[Definitions]) -> list[_Stop]:
    """Return the message in each release that has it.

    It is followed both ways from the first release that has this name.
    """
    start = next(index for index, holder in enumerate(releases) if name in holder)
    every = list(enumerate(releases))
    back = list(_followed(name, every[start::-1]))
    return [*back[:0:-1], *_followed(name, every[start:])]


def _followed(name: str, releases: Iterable[tuple[int, Definitions]]) -> Iterator[_Stop]:
    known: Message | None = None
    for index, holder in releases:
        here = name if name in holder else _renamed(known, holder)
        if here is not None:
            name, known = here, holder[here]
            valid = known.valid
            unstable = bool(valid) and holder.form(name, valid.high).unstable
            yield _Stop(index, holder.release, known, unstable)


def _renamed(known: Message | None, holder: Definitions) -> str | None:
    """Return the name of the message of its api key, if a comparison of releases pairs the two."""
    if known is None or known.type not in ("request", "response") or known.api_key is None:
        return None
    request = holder.requests.get(known.api_key, "")
    found = request if known.type == "request" else request.removesuffix("Request") + "Response"
    same = found in holder and match(_alone(known), _alone(holder[found])).pairs
    return found if same else None


def _alone(message: Message) -> Release:
    return Release("", (Definition(message, Text("", "")),))


def _ranges(line: list[_Stop]) -> Iterator[Range]:
    """Return a range for each change of the message; a release that lacks it ends one."""
    found: list[tuple[int, Range]] = []
    for stop in line:
        last, range_ = found[-1] if found else (stop.index, None)
        now = _range(stop, range_.valid if range_ else NONE)
        if range_ and last == stop.index - 1 and _bare(range_) == _bare(now):
            now = replace(range_, until=stop.release)
            found.pop()
        found.append((stop.index, now))
    return (each for _, each in found)


def _bare(range_: Range) -> Range:
    """Return a range without its releases, and without what changed."""
    return replace(range_, since="", until="", came=(), went=())


def _range(stop: _Stop, before: Versions) -> Range:
    message = stop.message
    return Range(
        since=stop.release,
        until=stop.release,
        name=message.name,
        valid=message.valid,
        flexible=message.flexible & message.valid,
        unstable=stop.unstable,
        came=message.valid.without(before),
        went=before.without(message.valid),
    )


def _fields(line: list[_Stop]) -> list[tuple[State, ...]]:
    """Return every field that any release has, in the order of the newest; dropped fields are last.

    A message that was retired has no fields, and its fields are dropped with that.
    """
    gone: list[list[tuple[int, State]]] = []
    live: dict[str, list[tuple[int, State]]] = {}
    previous: Message | None = None
    for stop in line:
        places = _places(previous, stop.message) if previous else {}
        known = {places[place]: states for place, states in live.items() if place in places}
        gone += [states for place, states in live.items() if place not in places]
        live = {}
        for spot in spots(stop.message):
            states = live[spot.place] = known.get(spot.place, [])
            _join(states, stop.index, _state(stop.release, spot.place, spot.field))
        previous = stop.message
    ordered = [live[place] for place in _outline(live)]
    return [tuple(state for _, state in states) for states in (*ordered, *gone)]


def _outline(places: Iterable[str]) -> list[str]:
    """Return dotted names with the fields of a struct right after it, and else in their order."""
    keys: dict[str, tuple[int, ...]] = {}
    for index, place in enumerate(places):
        keys[place] = (*keys.get(place.rpartition(".")[0], ()), index)
    return sorted(keys, key=lambda place: keys[place])


def _places(previous: Message, message: Message) -> dict[str, str]:
    """Return the places of one release's fields in the next, by the definitions' dotted names."""
    if previous == message:
        return {spot.place: spot.place for spot in spots(message)}
    one, other = _alone(previous), _alone(message)
    pair = Pair(one, other, one.definitions[0], other.definitions[0])
    old = {spot.place.lower(): spot.place for spot in spots(previous)}
    new = {spot.place.lower(): spot.place for spot in spots(message)}
    return {old[each.old_place.lower()]: new[each.place.lower()] for each in both(pair)}


def _state(release: str, place: str, item: Field) -> State:
    element = item.type.element
    return State(
        since=release,
        until=release,
        place=place,
        type=f"[]{element.kind}" if element else item.type.kind,
        versions=item.versions,
        tag=item.tag,
        nullable=item.nullable,
        default=item.default,
    )


def _join(states: list[tuple[int, State]], index: int, now: State) -> None:
    """Add a state, or extend the last one if it is the same in the next release."""
    if states and states[-1][0] == index - 1:
        last = states[-1][1]
        if _bare_state(last) == _bare_state(now):
            now = replace(now, since=last.since)
            states.pop()
    states.append((index, now))


def _bare_state(state: State) -> State:
    """Return a state without its releases, and without the names of the structs around it."""
    return replace(state, since="", until="", place=state.name)
