"""FindCoordinator: one key to version 3, many from version 4 on (KIP-699)."""

from __future__ import annotations

from conformance.cases.dialogues import question
from conformance.cases.dialogues.talk import INVALID_REQUEST, Talk
from conformance.dialogue import Dialogue

BATCHED = range(4, 100)
NO_SUCH_TYPE = 99


@question("coordinators.one-entry-a-key", "FindCoordinator", BATCHED)
def _several_keys(talk: Talk, version: int) -> Dialogue:
    keys = [f"{talk.facts.prefix}group-{index}" for index in range(5)]
    value = {"keyType": 0, "coordinatorKeys": keys}
    reply = yield from talk.ask("FindCoordinator", version, value)
    found = sorted(item["key"] for item in reply.value["coordinators"])
    talk.expect("the keys that were answered", sorted(keys), found)


@question("coordinators.in-order-of-keys", "FindCoordinator", BATCHED)
def _keys_out_of_order(talk: Talk, version: int) -> Dialogue:
    keys = [f"{talk.facts.prefix}group-{index}" for index in (3, 1, 2)]
    value = {"keyType": 0, "coordinatorKeys": keys}
    reply = yield from talk.ask("FindCoordinator", version, value)
    talk.expect("the keys", keys, [item["key"] for item in reply.value["coordinators"]])


@question("coordinators.no-keys-no-entries", "FindCoordinator", BATCHED)
def _no_keys(talk: Talk, version: int) -> Dialogue:
    value = {"keyType": 0, "coordinatorKeys": []}
    reply = yield from talk.ask("FindCoordinator", version, value)
    talk.expect("the coordinators", [], reply.value["coordinators"])


@question("coordinators.unknown-type-refused", "FindCoordinator", BATCHED)
def _type_that_nobody_has(talk: Talk, version: int) -> Dialogue:
    keys = [f"{talk.facts.prefix}group-{index}" for index in range(2)]
    value = {"keyType": NO_SUCH_TYPE, "coordinatorKeys": keys}
    reply = yield from talk.ask("FindCoordinator", version, value)
    errors = {item["key"]: item["errorCode"] for item in reply.value["coordinators"]}
    talk.expect("the errors", dict.fromkeys(keys, INVALID_REQUEST), errors)


@question("coordinators.failed-key-has-no-node", "FindCoordinator", BATCHED)
def _node_of_a_failed_key(talk: Talk, version: int) -> Dialogue:
    value = {"keyType": NO_SUCH_TYPE, "coordinatorKeys": [f"{talk.facts.prefix}group"]}
    reply = yield from talk.ask("FindCoordinator", version, value)
    found = reply.value["coordinators"]
    places = [(item["nodeId"], item["host"], item["port"]) for item in found]
    talk.expect("node, host and port", [(-1, "", -1)], places)
