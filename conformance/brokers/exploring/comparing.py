"""The comparison of two answers: ids are paired, freedoms taken, and the rest must be equal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from conformance.brokers.exploring.batches import as_value, up_to_a_marker
from conformance.brokers.exploring.conversation import Value
from conformance.brokers.exploring.freedoms import freedoms
from conformance.brokers.exploring.identities import (
    EPOCHS,
    KINDS,
    NO_ID,
    PLACE,
    RECORDS,
    Identities,
)
from conformance.reference.codec import ReferenceCodec

NAMES = (
    "name",
    "topic",
    "groupId",
    "transactionalId",
    "key",
    "resourceType",
    "resourceName",
    "partitionIndex",
    "partition",
    "index",
    "protocolType",
)
"""The fields that name an entry of a list, and hold no id that a broker chose."""
DEFAULT_CONFIG = 5
"""The source of a config that was not set: the broker's default."""
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """The first field in which two answers differ, and what each has there."""

    path: str
    expected: str
    actual: str

    @property
    def kind(self) -> str:
        """The place in the answer, without the entries' numbers."""
        return ".".join(part for part in self.path.split(".") if not part.isdecimal())


class Comparison:
    """The comparison of answers in one conversation."""

    def __init__(self, codec: ReferenceCodec, identities: Identities) -> None:
        self._codec = codec
        self._identities = identities

    def difference(self, api: str, model: Any, target: Any) -> Difference | None:
        """Return the first difference of two answers, None if they say the same."""
        self._strange: list[Difference] = []
        self._pair(api, model, self._identities.names_to_model(target))
        if self._strange:
            return self._strange[0]
        due = self._plain(api, model, model)
        came = self._plain(api, self._identities.to_model(target), model)
        return _first(api, due, came)

    def _pair(self, path: str, model: Any, target: Any) -> None:
        """Have ids at the same place belong together; note those that can't."""
        if isinstance(model, list) and isinstance(target, list):
            for at, (one, other) in enumerate(self._matched(model, target)):
                self._pair(f"{path}.{at}", one, other)
        elif isinstance(model, dict) and isinstance(target, dict):
            self._pair_ids(path, model, target)
            for name in model:
                if name in target and name not in KINDS:
                    self._pair(f"{path}.{name}", model[name], target[name])

    def _pair_ids(self, path: str, model: Value, target: Value) -> None:
        """Have the ids and the epochs of two structs belong together."""
        both = model.keys() & target.keys()
        for name in sorted(both & KINDS.keys()):
            if not self._identities.bind(name, model[name], target[name]):
                self._note(f"{path}.{name}", model[name], target[name])
        for name in sorted(both & EPOCHS.keys()):
            producer = model.get(EPOCHS[name])
            if producer not in NO_ID and not self._identities.bind_epoch(
                producer, model[name], target[name]
            ):
                self._note(f"{path}.{name}", model[name], target[name])

    def _matched(self, model: list[Any], target: list[Any]) -> list[tuple[Any, Any]]:
        """Return the entries of both lists that have the same names and known ids, then the rest.

        The rest is paired by names alone, in order.
        """
        left, pairs, rest = list(target), [], []
        for each in model:
            key = _named(each, (*NAMES, *KINDS))
            found = _pick(left, key, lambda it: _named(self._in_model(it), (*NAMES, *KINDS)))
            if found is _MISSING:
                rest.append(each)
            else:
                pairs.append((each, found))
        for each in rest:
            found = _pick(left, _named(each), _named)
            if found is not _MISSING:
                pairs.append((each, found))
        return pairs

    def _in_model(self, entry: Any) -> Any:
        """Return the names and ids of an entry in those of the model, as far as they are known."""
        if not isinstance(entry, dict):
            return entry
        own = {name: entry[name] for name in (*NAMES, *KINDS) if name in entry}
        return self._identities.to_model(own)

    def _note(self, path: str, model: Any, target: Any) -> None:
        due, came = _text(model), _text(target)
        if model not in NO_ID and target not in NO_ID:
            due, came = f"what stands for {due}", f"{came}, which stands for another"
        self._strange.append(Difference(path, due, came))

    def _plain(self, path: str, value: Any, model: Any) -> Any:
        """Return a value without what is free; `model` is that of the model at the same place."""
        free = freedoms(_without_numbers(path))
        if "any" in free:
            return None
        name = path.rpartition(".")[2]
        if name == RECORDS and (value is None or isinstance(value, str)):
            return up_to_a_marker(as_value(self._codec, value), as_value(self._codec, model))
        if "null" in free and not value:
            return None
        if "set" in free and isinstance(value, int):
            return min(value, 0)
        if isinstance(value, dict):
            of_model = model if isinstance(model, dict) else {}
            failed = bool(value.get("errorCode"))
            return {
                key: None
                if failed and "failed" in freedoms(_without_numbers(f"{path}.{key}"))
                else self._plain(f"{path}.{key}", each, of_model.get(key))
                for key, each in value.items()
                if "any" not in freedoms(_without_numbers(f"{path}.{key}"))
            }
        if not isinstance(value, list):
            return value
        due = model if isinstance(model, list) else []
        entries = [self._plain(f"{path}.0", each, _alike(due, each)) for each in value]
        if "others" in free:
            entries = [each for each in entries if _is_ours(each)]
        if "configs" in free:
            entries = _set_configs(entries, model)
        return (
            sorted(entries, key=lambda each: (_text(_named(each)), _text(each)))
            if "order" in free
            else entries
        )


def _pick(left: list[Any], key: Any, of: Callable[[Any], Any]) -> Any:
    """Take the first entry with this key out of a list, and return it."""
    for at, each in enumerate(left):
        if of(each) == key:
            return left.pop(at)
    return _MISSING


def _alike(entries: list[Any], entry: Any) -> Any:
    """Return the entry of these that has the same names, None without one."""
    return next((each for each in entries if _named(each) == _named(entry)), None)


def _named(entry: Any, names: Iterable[str] = NAMES) -> Any:
    if not isinstance(entry, dict):
        return None
    return [entry.get(name) for name in names]


def _is_ours(entry: Any) -> bool:
    names = (entry.get(key) for key in ("name", "topic", "groupId", "transactionalId"))
    name = next(filter(None, names), "")
    return not name or name.startswith(PLACE) or bool(entry.get("errorCode"))


def _set_configs(entries: list[Any], model: Any) -> list[Any]:
    """Return the configs that the model has as well; the value of a default says nothing."""
    known = {each["name"]: each for each in model or []}
    kept = []
    for each in entries:
        if each["name"] in known:
            is_set = known[each["name"]].get("configSource", 0) != DEFAULT_CONFIG
            kept.append(each if is_set else {"name": each["name"]})
    return kept


def _first(path: str, due: Any, came: Any) -> Difference | None:
    """Return the first difference within two values."""
    if due == came and type(due) is type(came):
        return None
    if isinstance(due, dict) and isinstance(came, dict):
        names = (*due, *(name for name in came if name not in due))
        for name in sorted(names, key=lambda each: not each.endswith("rrorCode")):
            one, other = due.get(name, _MISSING), came.get(name, _MISSING)
            if one is _MISSING or other is _MISSING:
                return Difference(f"{path}.{name}", _text(one), _text(other))
            if (found := _first(f"{path}.{name}", one, other)) is not None:
                return found
    if isinstance(due, list) and isinstance(came, list) and len(due) == len(came):
        for at, (one, other) in enumerate(zip(due, came, strict=True)):
            if (found := _first(f"{path}.{at}", one, other)) is not None:
                return found
    return Difference(path, _text(due), _text(came))


def _text(value: Any) -> str:
    return "nothing" if value is _MISSING else json.dumps(value, sort_keys=True, default=str)


def _without_numbers(path: str) -> str:
    return ".".join(part for part in path.split(".") if not part.isdecimal())
