"""Clients that come to grief over an answer: its pieces, its end, its tags, lengths and nulls."""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator
from typing import Any

from conformance.api_keys import API_VERSIONS, CREATE_TOPICS, FIND_COORDINATOR, METADATA
from conformance.clients.mutants.mutant import ClientMutant, takes_much
from conformance.dialogue import Received
from conformance.reference.client import Course, Failed, Step, Trying
from conformance.testee_protocol import Value
from conformance.wire.errors import DecodeError, NullNotAllowed

KNOWN_ERRORS = range(-1, 134)
ROOM = 1_000_000
SIZE_BYTES = 4
NO_ERROR = (None, "", "NONE")


class OnePieceIsOneAnswer(ClientMutant, breaks="client-answers.split-anywhere"):
    """Takes whatever comes in one piece for one answer."""

    implies = ("client-answers.joined",)

    def next_answer(self) -> Received | None:
        if not self.unread:
            return None
        piece, self.unread = bytes(self.unread), bytearray()
        return Received("reply", piece[4:])


class SizeInOnePiece(ClientMutant, breaks="client-answers.split-anywhere"):
    """Relies on the four bytes of a size coming together."""

    def take(self, piece: bytes) -> None:
        if not self.unread:
            struct.unpack_from(">i", piece)
        super().take(piece)


class DropsWhatIsBehind(ClientMutant, breaks="client-answers.joined"):
    """Drops what came in one piece with an answer, behind it."""

    def next_answer(self) -> Received | None:
        answer = super().next_answer()
        if answer is not None:
            self.unread.clear()
        return answer


class StumblesOverOtherNumbers(ClientMutant, breaks="client-answers.other-correlation-id-survived"):
    """Relies on the correlation id, and ends where it is another."""

    def check_number(self, number: int, frame: bytes) -> None:
        assert frame[:4] == struct.pack(">i", number)


class TakesAnyNumber(ClientMutant, breaks="client-answers.other-correlation-id-survived"):
    """Takes the next answer for that to its request, whatever the correlation id."""

    def check_number(self, number: int, frame: bytes) -> None:
        del number, frame


class WaitsForTwoGigabytes(ClientMutant, breaks="client-answers.huge-size-survived"):
    """Waits for an answer of any size until it has come."""

    def next_answer(self) -> Received | None:
        is_large = len(self.unread) >= SIZE_BYTES and self.answer_size() > ROOM
        answer = super().next_answer()
        return None if answer is not None and answer.kind == "flood" and is_large else answer

    def hear(self) -> Generator[Step, Received | None, Received]:
        received = yield from super().hear()
        while received.kind == "silent" and self.unread and self.answer_size() > ROOM:
            received = yield from super().hear()
        return received


class RoomForTheAnswer(ClientMutant, breaks="client-answers.huge-size-survived"):
    """Takes memory for an answer of the size that is announced, before any of it has come."""

    def hear(self) -> Generator[Step, Received | None, Received]:
        received = yield from super().hear()
        if received.kind == "flood" and self.answer_size() > ROOM:
            yield from takes_much()
        return received


class SizesArePositive(ClientMutant, breaks="client-answers.negative-size-survived"):
    """Makes room for an answer of any size, also of less than none."""

    def answer_size(self) -> int:
        size = super().answer_size()
        if size < 0:
            bytes(size)
        return size


class EmptyAnswersHaveNumbers(ClientMutant, breaks="client-answers.negative-size-survived"):
    """Reads the correlation id of an answer that has no bytes."""

    implies = ("client-sasl.bare-tokens",)

    def next_answer(self) -> Received | None:
        if self.unread == bytes(4):
            struct.unpack_from(">i", self.unread, 4)
        return super().next_answer()


class WaitsForEver(ClientMutant, breaks="client-answers.end-survived"):
    """Waits for an answer until it comes."""

    implies = ("client-answers.lost-is-asked-again", "client-sasl.silence-left")

    def hear(self) -> Generator[Step, Received | None, Received]:
        received = yield from super().hear()
        while received.kind == "silent":
            received = yield from super().hear()
        return received


class StumblesOverAnEnd(ClientMutant, breaks="client-answers.end-survived"):
    """Relies on an answer being all there once its begin is."""

    implies = ("client-records.given-as-held",)

    def end_of_line(self) -> Received:
        assert not self.unread
        return super().end_of_line()


class AsksWithoutEnd(ClientMutant, breaks="client-answers.end-survived"):
    """Begins anew at once whenever a connection is lost, for ever."""

    implies = ("client-transactions.errors-waited-out",)
    again = 100_000
    backoff_s = 0.0

    def backoff(self, attempt: int) -> float:
        return 0.0


class GivesUpAtOnce(ClientMutant, breaks="client-answers.asked-again"):
    """Gives up when a connection is lost once."""

    implies = (
        "client-answers.lost-is-asked-again",
        "client-records.leader-followed",
        "client-transactions.passing-errors-pass",
        "client-produce.stream-once-in-order",
    )
    again = 1


class StumblesOverTags(ClientMutant, breaks="tags.unknown-skipped"):
    """Refuses answers with tags that it does not know."""

    implies = ("tags.unknown-skipped-in-element", "tags.unknown-skipped-in-struct")

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        if _tags_in(value):
            raise Failed("a tag that there is not")
        return value


class HeaderWithoutTags(ClientMutant, breaks="response-header.unknown-tag-skipped"):
    """Takes one byte for the tag section of a response header, whatever is in it."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        form = self.codec.form(self.message(api_key, "Response"), version)
        if form.flexible and api_key != API_VERSIONS:
            frame = frame[:4] + b"\0" + frame[5:]
        return super().read(api_key, version, frame)


class TagsOfCoordinatorsRefused(ClientMutant, breaks="tags.unknown-skipped-in-element"):
    """Knows no tags in the elements of FindCoordinator, where there have never been any."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        if api_key == FIND_COORDINATOR and _tags_in(value.get("coordinators")):
            raise Failed("a tag that there is not")
        return value


class TagNumbersOfTwoBytes(ClientMutant, breaks="client-answers.tags-of-any-number"):
    """Has room for tag numbers of two bytes."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        if any(each["tag"] >= 1 << 14 for each in _tags_in(value)):
            raise Failed("a tag number of more than two bytes")
        return value


class TagSizesOfOneByte(ClientMutant, breaks="client-answers.tags-of-any-number"):
    """Has room for tag sizes of one byte."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        if any(len(each["bytes"]) * 3 // 4 > 130 for each in _tags_in(value)):
            raise Failed("a tag of more than one byte's size")
        return value


class BelievesTagSizes(ClientMutant, breaks="client-answers.hostile-tags-survived"):
    """Goes on behind a tag in the header without a look whether that is still in the answer."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        form = self.codec.form(self.message(api_key, "Response"), version)
        if form.flexible and api_key != API_VERSIONS and frame[4] == 1:
            size, at = _varint(frame, 6)
            frame[at + size]
        return super().read(api_key, version, frame)


class BelievesTagCounts(ClientMutant, breaks="client-answers.hostile-tags-survived"):
    """Makes room for as many tags as a header says that it has."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        form = self.codec.form(self.message(api_key, "Response"), version)
        if form.flexible and api_key != API_VERSIONS:
            _make_room(_varint(frame, 4)[0])
        return super().read(api_key, version, frame)


class BelievesCounts(ClientMutant, breaks="client-answers.hostile-lengths-survived"):
    """Makes room for as many brokers as Metadata says that there are."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        if api_key == METADATA:
            form = self.codec.form(self.message(api_key, "Response"), version)
            at = 4 + form.flexible + (4 if version >= 3 else 0)
            flexible = form.flexible
            _make_room(_varint(frame, at)[0] - 1 if flexible else _int32(frame, at))
        return super().read(api_key, version, frame)


class NullIsAList(ClientMutant, breaks="client-answers.forbidden-null-survived"):
    """Goes through an array without a thought that it may be null."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        form = self.codec.form(self.message(api_key, "Response"), version)
        try:
            _, offset = self.codec.read(self.codec.header_form(form), frame)
            self.codec.read(form, frame, offset)
        except NullNotAllowed:
            if api_key in (METADATA, FIND_COORDINATOR):
                raise TypeError("null has no elements") from None
        except DecodeError:
            pass
        return super().read(api_key, version, frame)


class ClustersHaveIds(ClientMutant, breaks="client-answers.nulls-read"):
    """Relies on a cluster having an id."""

    def metadata(self, *names: str) -> Generator[Step, Received | None, Value]:
        answer = yield from super().metadata(*names)
        answer.get("clusterId", "").encode()
        return answer


class TopicsHaveConfigs(ClientMutant, breaks="client-answers.nulls-read"):
    """Counts the configs of a topic that was created."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        if api_key == CREATE_TOPICS:
            for topic in value["topics"]:
                len(topic.get("configs", []))
        return value


class NoRacks(ClientMutant, breaks="client-answers.optional-values-read"):
    """Takes a rack for a mistake."""

    def metadata(self, *names: str) -> Generator[Step, Received | None, Value]:
        answer = yield from super().metadata(*names)
        if any(each.get("rack") for each in answer["brokers"]):
            raise Failed("a broker with a rack")
        return answer


class ReplicasAreUp(ClientMutant, breaks="client-answers.optional-values-read"):
    """Looks each replica up among the brokers that are up."""

    implies = (
        "client-answers.passing-errors-pass",
        "client-answers.replicas-told",
        "client-records.leader-followed",
    )

    def metadata(self, *names: str) -> Generator[Step, Received | None, Value]:
        answer = yield from super().metadata(*names)
        up = {each["nodeId"]: each for each in answer["brokers"]}
        for topic in answer["topics"]:
            for partition in topic["partitions"]:
                [up[node] for node in partition["replicaNodes"]]
        return answer


class AnyMessageIsAnError(ClientMutant, breaks="client-answers.optional-values-read"):
    """Takes a text beside error code 0 for an error, unless it says that there is none."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        for each in value.get("coordinators", [value]):
            if api_key == FIND_COORDINATOR and each.get("errorMessage") not in NO_ERROR:
                raise Failed(each["errorMessage"])
        return value


class StumblesOverUnknownErrors(ClientMutant, breaks="client-answers.unknown-errors-survived"):
    """Looks an error code up in a table without a thought that it may not be there."""

    def check(self, code: int, what: str) -> None:
        KNOWN_ERRORS[KNOWN_ERRORS.index(code)]
        super().check(code, what)


class TriesUnknownErrorsAgain(ClientMutant, breaks="client-answers.unknown-errors-survived"):
    """Takes every error that it does not know for one that passes, and tries again at once."""

    def trying(self, once: Callable[[], Trying], what: str) -> Course:
        def often() -> Trying:
            while (code := (yield from once())) > max(KNOWN_ERRORS):
                yield from self.connect(None)
            return code

        yield from super().trying(often, what)


class UnknownErrorsAreNone(ClientMutant, breaks="client-answers.unknown-errors-told"):
    """Passes over error codes that it does not know."""

    def check(self, code: int, what: str) -> None:
        if code in KNOWN_ERRORS:
            super().check(code, what)


class ForgetsTopicErrors(ClientMutant, breaks="client-answers.unknown-errors-told"):
    """Does not look at the error of a topic that was to be created."""

    def check(self, code: int, what: str) -> None:
        if not what.startswith("the topic made-by"):
            super().check(code, what)


def _tags_in(value: Any) -> list[Value]:
    """Return the unknown tags at any depth of a value."""
    if isinstance(value, list):
        return [tag for each in value for tag in _tags_in(each)]
    if not isinstance(value, dict):
        return []
    inside = [tag for each in value.values() for tag in _tags_in(each)]
    return [*value.get("_unknownTaggedFields", []), *inside]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a signed number of 32 bits, and the offset after it."""
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return _int32(struct.pack(">I", number & 0xFFFFFFFF), 0), at


def _int32(data: bytes, at: int) -> int:
    return int(struct.unpack_from(">i", data, at)[0])


def _make_room(number: int) -> None:
    """Raise MemoryError for a number of elements that exceeds the little memory of the process."""
    if not -1 <= number <= ROOM:
        raise MemoryError(number)
