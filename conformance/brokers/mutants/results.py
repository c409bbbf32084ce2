"""Answers whose results are not those of the entries that were asked for: three mutants an API.

Each is a row made of the table of what answers owe: it leaves the last result out, gives the first
one twice, or adds one that was not asked for, in the innermost list that the API has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.brokers.dialogues.entries import ENTRIES, Level, apis, entries_of
from conformance.brokers.dialogues.talk import ONE_FOR_EACH, api_keys
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.releases import IMPLEMENTED, NAMES, stored_versions

GREETING = (18,)
"""ApiVersions, which stands beside an API that a broker that is judged does not list otherwise."""
STRANGER = "kafka-conformance-stranger"
NO_SUCH_ID = "z" * 21 + "A"

Results = list[Any]
Change = Callable[[Level, Results], Results]


def _left_out(level: Level, results: Results) -> Results:
    del level
    return results[:-1]


def _doubled(level: Level, results: Results) -> Results:
    del level
    return results[:1] + results


def _with_stranger(level: Level, results: Results) -> Results:
    if not results or not level.by:
        return results
    *others, name = level.told_by or level.by
    key = (others or [name])[0] if level.either else name
    return [*results, {**results[0], key: _strange(key, results[0][key])}]


def _strange(name: str, known: Any) -> Any:
    """Return a name, an id or a number that was not asked for."""
    if isinstance(known, list):
        return [{**each, "entityName": STRANGER} for each in known]
    if isinstance(known, int):
        return known + 1000
    return NO_SUCH_ID if name == "topicId" else STRANGER


CHANGES: Mapping[str, tuple[str, Change]] = {
    "LastLeftOut": ("Leaves the last result out of the answer to {api}.", _left_out),
    "FirstTwice": ("Gives the first result twice in the answer to {api}.", _doubled),
    "StrangerAdded": (
        "Adds a result to the answer to {api} that was not asked for.",
        _with_stranger,
    ),
}


def _changed(levels: Sequence[Level], answer: Value, change: Change) -> Value:
    """The answer with another innermost list, in the last result of the outer ones."""
    level, *deeper = levels
    results = answer.get(level.answered)
    if not results or answer.get("errorCode"):
        return answer
    if deeper:
        results = [*results[:-1], _changed(deeper, results[-1], change)]
    else:
        results = change(level, results)
    return {**answer, level.answered: results}


def _mutant(api: str, name: str, says: str, change: Change) -> None:
    def handle(self: BrokerMutant, request: Request) -> Value:
        answer = BrokerMutant.handle(self, request)
        owed = entries_of(api, request.version) if request.api_key == api_keys()[api] else None
        return _changed(owed.levels, answer, change) if owed else answer

    key = api_keys()[api]
    listed = {each: NAMES[each] for each in (*GREETING, key)}
    fields = {
        "__doc__": says,
        "__module__": __name__,
        "breaks": ONE_FOR_EACH,
        "made_with": {} if key in IMPLEMENTED else {"versions": stored_versions(names=listed)},
        "handle": handle,
    }
    type(f"{api}{name}", (BrokerMutant,), fields)


UNNAMED = {each.api for each in ENTRIES if not each.levels[-1].by}
"""APIs whose results are known by their place alone, so that none of them is a stranger."""

for _api in apis():
    for _name, (_says, _change) in CHANGES.items():
        if _name != "StrangerAdded" or _api not in UNNAMED:
            _mutant(_api, _name, _says.format(api=_api), _change)
