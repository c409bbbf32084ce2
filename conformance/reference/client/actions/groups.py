"""Groups described at their coordinators, which are found one by one or all at once."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

from conformance import error_codes
from conformance.api_keys import DESCRIBE_GROUPS, FIND_COORDINATOR
from conformance.dialogue import Received
from conformance.reference.client.cluster import ClientCluster
from conformance.reference.client.steps import Course, Failed, Step
from conformance.reference.client.versions import BATCHES_SINCE
from conformance.testee_protocol import Value


class Groups(ClientCluster):
    """The actions that describe groups. `told` are words that the caller is given."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def groups(self) -> Course:
        """Describe two groups, each at its coordinator."""
        yield from self.metadata()
        for key in ("group-a", "group-b"):
            yield from self.trying(partial(self.describe, key), f"the group {key}")

    def describe(self, key: str) -> Generator[Step, Received | None, int]:
        """Describe one group at its present coordinator; return the error code of the group."""
        found = yield from self.coordinators(["group-a", "group-b"])
        coordinator = found[key]
        if coordinator["errorCode"]:
            return int(coordinator["errorCode"])
        yield from self.connect((coordinator["host"], coordinator["port"]))
        version = self.version_of(DESCRIBE_GROUPS)
        answer = yield from self.ask(DESCRIBE_GROUPS, version, {"groups": [key]})
        code = next((each["errorCode"] for each in answer["groups"] if each["groupId"] == key), -1)
        return error_codes.NONE if code == error_codes.GROUP_ID_NOT_FOUND else int(code)

    def coordinators(self, keys: list[str]) -> Generator[Step, Received | None, dict[str, Value]]:
        """Return each group's coordinator: by one request from version 4 on, else one for each."""
        version = self.version_of(FIND_COORDINATOR)
        if version < BATCHES_SINCE:
            wanted = [{"key": key} for key in keys]
            answers = yield from self.ask_all(FIND_COORDINATOR, version, wanted)
            found = [{**each, "key": key} for key, each in zip(keys, answers, strict=True)]
        else:
            answer = yield from self.ask(FIND_COORDINATOR, version, {"coordinatorKeys": keys})
            found = answer["coordinators"]
        by_key = {each["key"]: each for each in found}
        missing = [key for key in keys if key not in by_key]
        if missing:
            raise Failed(f"no coordinator is told of {', '.join(missing)}")
        return by_key
