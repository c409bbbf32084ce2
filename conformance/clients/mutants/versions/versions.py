"""Clients that make the wrong thing of the list of versions."""

from __future__ import annotations

from conformance.api_keys import JOIN_GROUP, OFFSET_FETCH, PRODUCE
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Address, Course, Failed, Open, Trying
from conformance.schema.layout import ZERO_UUID
from conformance.testee_protocol import Value

MOST_LISTED = 100


class GreetsTheFirstConnectionAlone(ClientMutant, breaks="client-versions.greets-each-connection"):
    """Takes what one connection was told for true on all others."""

    implies = ("client-sasl.logs-in",)

    def connect(self, address: Address | None) -> Course:
        if self.served:
            yield Open(address)
        else:
            yield from super().connect(address)

    def topics(self) -> Course:
        yield from self.connect(None)
        yield from super().topics()


class StumblesOverUnknownKeys(ClientMutant, breaks="client-versions.unknown-keys-ignored"):
    """Ends at an api key that it does not know."""

    def is_usable(self, entry: Value) -> bool:
        self.codec.form(self.message(entry["apiKey"], "Request"), 0)
        return super().is_usable(entry)


class RefusesUnknownKeys(ClientMutant, breaks="client-versions.unknown-keys-ignored"):
    """Takes a list with unknown api keys for a mistake."""

    def take_ranges(self, entries: list[Value]) -> None:
        if any(each["apiKey"] > 500 for each in entries):
            raise Failed("the broker lists what there is not")
        super().take_ranges(entries)


class SendsItsOwnHighest(ClientMutant, breaks="client-versions.within-both-ranges"):
    """Sends the highest version that it knows, whatever the broker lists."""

    implies = (
        "client-transactions.added-first",
        "client-versions.nothing-in-common-is-not-sent",
        "client-versions.unlisted-is-not-asked",
    )

    def version_of(self, api_key: int) -> int:
        return self.versions[api_key][1]


class SendsTheBrokersHighest(ClientMutant, breaks="client-versions.within-both-ranges"):
    """Sends the highest version that the broker lists, whatever it knows itself."""

    implies = ("client-transactions.asked-as-client",)

    def version_of(self, api_key: int) -> int:
        low, high = self.served.get(api_key, (0, -1))
        return high if low <= high <= MOST_LISTED else super().version_of(api_key)


class ItsHighestOrTheLowest(ClientMutant, breaks="client-versions.highest-of-both"):
    """Asks the lowest common version of whatever the broker does not have in its own highest."""

    implies = ("client-answers.controller-told",)

    def version_of(self, api_key: int) -> int:
        high = super().version_of(api_key)
        low, _ = self.common(api_key, self.served[api_key])
        return high if high == self.versions[api_key][1] else low


class OneBelowTheBrokersHighest(ClientMutant, breaks="client-versions.highest-of-both"):
    """Takes the end of a range for the first version that is not in it any more."""

    implies = ("client-fallback.highest-of-hint", "client-sasl.handshake-tells-errors")

    def common(self, api_key: int, served: tuple[int, int]) -> tuple[int, int]:
        low, high = served
        return super().common(api_key, (low, max(low, high - 1)))


class LowestOfBoth(ClientMutant, breaks="client-versions.highest-of-both"):
    """Asks the lowest version that both sides have."""

    implies = (
        "client-answers.controller-told",
        "client-coordinators.many-where-served",
        "client-requests.controller-asked",
        "client-requests.isolation-told",
        "client-sasl.handshake-tells-errors",
    )

    def version_of(self, api_key: int) -> int:
        super().version_of(api_key)
        return self.common(api_key, self.served[api_key])[0]


class WantsNewMetadata(ClientMutant, breaks="client-versions.old-versions-suffice"):
    """Works with brokers alone that have flexible versions of Metadata."""

    def version_of(self, api_key: int) -> int:
        version = super().version_of(api_key)
        if api_key == 3 and version < 9:
            raise Failed("the broker is too old")
        return version


class SendsWhatIsNotCommon(ClientMutant, breaks="client-versions.nothing-in-common-is-not-sent"):
    """Sends its own highest version where both sides have none in common."""

    implies = ("client-transactions.added-first",)

    def version_of(self, api_key: int) -> int:
        if api_key not in self.served:
            return super().version_of(api_key)
        low, high = self.common(api_key, self.served[api_key])
        return high if low <= high else self.versions[api_key][1]


class SilentWhereNothingIsCommon(ClientMutant, breaks="client-versions.nothing-in-common-fails"):
    """Leaves out what both sides have no common version of, and says that all is well."""

    def topics(self) -> Course:
        low, high = self.common(3, self.served.get(3, (0, 0)))
        if low <= high:
            yield from super().topics()


class StumblesOverAMissingApi(ClientMutant, breaks="client-versions.missing-api-survived"):
    """Looks an API up in the list without a thought that it may not be there."""

    def take_ranges(self, entries: list[Value]) -> None:
        self.listed = {each["apiKey"]: each for each in entries}
        super().take_ranges(entries)

    def version_of(self, api_key: int) -> int:
        self.listed[api_key]
        return super().version_of(api_key)


class AsksWhatIsNotListed(ClientMutant, breaks="client-versions.unlisted-is-not-asked"):
    """Asks in its own highest version what the broker does not list."""

    def take_ranges(self, entries: list[Value]) -> None:
        super().take_ranges(entries)
        listed = {each["apiKey"] for each in entries}
        self.served |= {key: each for key, each in self.versions.items() if key not in listed}

    def report(self) -> Course:
        yield from ()


class StumblesOverNonsense(ClientMutant, breaks="client-versions.nonsense-survived"):
    """Relies on each range being one, and ends where it is not."""

    def is_usable(self, entry: Value) -> bool:
        assert entry["minVersion"] <= entry["maxVersion"]
        return super().is_usable(entry)


class StumblesOverKeysTwice(ClientMutant, breaks="client-versions.nonsense-survived"):
    """Relies on each api key being listed once, and ends where one is listed twice."""

    def take_ranges(self, entries: list[Value]) -> None:
        assert len({each["apiKey"] for each in entries}) == len(entries)
        super().take_ranges(entries)


class RefusesUnknownFeatures(ClientMutant, breaks="client-versions.features-tolerated"):
    """Refuses an answer with a feature that it does not know."""

    implies = ("client-transactions.each-way-done",)

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value = super().read(api_key, version, frame)
        if value.get("supportedFeatures"):
            raise Failed("a feature that there is not")
        return value


class RefusesFeaturesFromZero(ClientMutant, breaks="client-versions.features-tolerated"):
    """Refuses an answer with a feature whose least version is 0."""

    implies = ("client-transactions.each-way-done",)

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value = super().read(api_key, version, frame)
        if any(each["minVersion"] < 1 for each in value.get("supportedFeatures", [])):
            raise Failed("a feature has no version 0")
        return value


class StumblesOverFeaturesFromZero(
    ClientMutant, breaks="client-versions.feature-from-zero-survived"
):
    """Relies on what version 3 of ApiVersions tells of features."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value = super().read(api_key, version, frame)
        features = value.get("supportedFeatures", [])
        assert version != 3 or all(each["minVersion"] for each in features)
        return value


class ThrottleInEveryVersion(ClientMutant, breaks="client-versions.each-version-read"):
    """Reads Metadata before version 3 as if it had the throttle time, too."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        return super().read(api_key, 3 if api_key == 3 and version < 3 else version, frame)


class CoordinatorsFlexibleFromFour(ClientMutant, breaks="client-versions.each-version-read"):
    """Takes FindCoordinator for flexible from version 4 on, although it is from 3 on."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        return super().read(api_key, 2 if api_key == 10 and version == 3 else version, frame)


class FetchWithIdsReadByName(ClientMutant, breaks="client-versions.each-version-read"):
    """Reads Fetch of the version in which ids came as the one before it."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        return super().read(api_key, 12 if api_key == 1 and version == 13 else version, frame)


class IdsWhateverIsKnown(ClientMutant, breaks="client-versions.no-ids-no-id-versions"):
    """Writes and reads in versions with topic ids, whether it knows an id or not."""

    def version_with(self, api_key: int, topic_id: str) -> int:
        return self.version_of(api_key)


class TopicsHaveIds(ClientMutant, breaks="client-versions.no-ids-survived"):
    """Relies on each topic having an id."""

    implies = ("client-produce.ids-come-and-go",)

    def version_with(self, api_key: int, topic_id: str) -> int:
        assert topic_id != ZERO_UUID or api_key != PRODUCE
        return super().version_with(api_key, topic_id)


class ZerosAreAnId(ClientMutant, breaks="client-versions.no-ids-no-id-versions"):
    """Takes the id of zeros for a topic's."""

    def version_with(self, api_key: int, topic_id: str) -> int:
        has_ids = self.version_of(3) >= 10
        return self.version_of(api_key) if has_ids else super().version_with(api_key, topic_id)


class FirstListForAll(ClientMutant, breaks="client-versions.list-of-this-broker"):
    """Takes the first broker's list for that of all."""

    implies = ("client-versions.within-both-ranges",)

    def take_ranges(self, entries: list[Value]) -> None:
        if not self.served:
            super().take_ranges(entries)


class KeysArePositive(ClientMutant, breaks="client-versions.nonsense-survived"):
    """Has a table of ranges with a place for each api key from 0 on."""

    def take_ranges(self, entries: list[Value]) -> None:
        bytes([each["apiKey"] >> 8 for each in entries])
        super().take_ranges(entries)


class JoinsByTheFirstVersionListed(ClientMutant, breaks="client-versions.old-versions-not-needed"):
    """Holds groups for unsupported where the first version of JoinGroup is not listed."""

    implies = ("client-versions.kafka-4-spoken",)

    def enter(self) -> Trying:
        low, high = self.served.get(JOIN_GROUP, (0, 0))
        if 0 < low < high:
            raise Failed("the broker has no groups")
        return (yield from super().enter())


class ListsOffsetsOfOldBrokers(ClientMutant, breaks="client-versions.newer-versions-not-needed"):
    """Lists no offsets where versions of OffsetFetch are listed that came later."""

    implies = ("client-versions.kafka-4-spoken",)
    newest = 3

    def offsets(self) -> Course:
        low, high = self.served[OFFSET_FETCH]
        if low < self.newest < high:
            raise Failed(f"OffsetFetch v{high} is not there yet")
        yield from super().offsets()


class JoinsAsEver(ClientMutant, breaks="client-versions.kafka-4-spoken"):
    """Joins groups in version 1 where all but the first two versions are listed."""

    implies = ("client-versions.within-both-ranges",)

    def version_of(self, api_key: int) -> int:
        version = super().version_of(api_key)
        is_short = api_key == JOIN_GROUP and self.served[api_key] == (2, version)
        return 1 if is_short else version
