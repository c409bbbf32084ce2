"""Malformed requests: taken for well-formed ones, waited for, or dropped without a word.

A broker that reads on where it should not is the reference broker with another reader, mostly that
of a codec's mutant. One that waits for what can't come never answers, and never hangs up.
"""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.brokers.mutants.mutant import BrokerMutant, LetsPass
from conformance.codecs.mutants import malformed, primitives, tags
from conformance.reference.broker.connections.session import Session
from conformance.reference.codec import LenientCodec, Value
from conformance.schema.layout import Form, WireType
from conformance.wire.errors import NullNotAllowed
from conformance.wire.lenient import Lenient


class _Codec(LenientCodec):
    """Reads bodies by a reader of its own."""

    reads: ClassVar[type[Lenient]] = Lenient

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        if form.type == "header":
            return super().read(form, data, offset)
        reader = self.reads(data, offset)
        return reader.struct(form.layout), reader.offset


class _Reading(BrokerMutant):
    """The reference broker with another reader of bodies, its nested class `Reads`."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        reader = getattr(self, "Reads", Lenient)
        self.reads = type("_Codec", (_Codec,), {"reads": reader})()


class _Lost(Exception):
    """The broker waits for what it was promised."""


class _Waiting(_Reading):
    """Neither answers nor hangs up where its reader is lost."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            try:
                return super().respond(frame)
            except _Lost:
                return None


class NullNameIsEmpty(_Reading, breaks="primitives.null-refused"):
    """Takes an INT16 or INT32 length of -1 where a request's field is not nullable."""

    class Reads(malformed.NullIsEmptyWhereRefused.Reads, Lenient):
        pass


class NullAwaited(_Waiting, breaks="primitives.null-refused"):
    """Never answers a request with a null where no null may be."""

    class Reads(Lenient):
        def plain_length(self, type_: Any, path: str) -> int:
            length = super().plain_length(type_, path)
            if length < 0 and not type_.nullable:
                raise _Lost
            return length


class CompactNullNameIsEmpty(_Reading, breaks="compact.null-refused"):
    """Takes a compact length of 0 where a request's field is not nullable."""

    class Reads(malformed.CompactNullIsEmptyWhereRefused.Reads, Lenient):
        pass


class CompactNullAwaited(_Waiting, breaks="compact.null-refused"):
    """Never answers a request with a compact null where no null may be."""

    implies = ("api-versions.null-software-refused",)

    class Reads(Lenient):
        def length(self, type_: WireType, path: str) -> int | None:
            start = self.offset
            try:
                return super().length(type_, path)
            except NullNotAllowed:
                if type_.compact and self.data[start] == 0:
                    raise _Lost from None
                raise


class BelowNullIsNoTopics(_Reading, breaks="primitives.length-below-null"):
    """Takes a length below -1 of a nullable array in a request."""

    implies = ("primitives.null-refused",)

    class Reads(malformed.BelowNullIsEmpty.Reads, Lenient):
        pass


class BelowNullAwaited(_Waiting, breaks="primitives.length-below-null"):
    """Never answers a request with a length below -1."""

    implies = ("primitives.null-refused", "compact.length-above-int32")

    class Reads(Lenient):
        def below_null(self, length: int, path: str, start: int) -> int:
            raise _Lost


class LengthBeyondFrameCut(_Reading, breaks="primitives.length-beyond-input-refused"):
    """Reads as much as there is where a length in a request promises more."""

    implies = ("framing.short-body-closes", "primitives.short-input-refused")

    class Reads(malformed.TakesWhatIsThere.Reads, Lenient):
        pass


class LengthBeyondFrameAwaited(_Waiting, breaks="primitives.length-beyond-input-refused"):
    """Waits for what a length in a request promises beyond its frame."""

    implies = ("framing.short-body-closes", "primitives.short-input-refused")

    class Reads(Lenient):
        def length(self, type_: Any, path: str) -> int | None:
            length = super().length(type_, path)
            if length is not None and length > self.remaining:
                raise _Lost
            return length


class HugeCompactLengthAwaited(_Waiting, breaks="compact.length-above-int32"):
    """Never answers a request with a compact length of 2^31 or more."""

    class Reads(Lenient):
        def compact_length(self, path: str) -> int:
            if (value := self.uvarint(f"{path}(length)")) > 2**31:
                raise _Lost
            return value - 1


class TwoGigabyteLengthAwaited(_Waiting, breaks="compact.length-above-int32"):
    """Never answers a request with a compact length of 2^31."""

    class Reads(Lenient):
        def compact_length(self, path: str) -> int:
            if (value := self.uvarint(f"{path}(length)")) == 2**31 + 1:
                raise _Lost
            return value - 1


class ShortRequestFilledUp(_Reading, breaks="primitives.short-input-refused"):
    """Answers a request that ends where a number belongs."""

    implies = ("framing.short-body-closes", "primitives.length-beyond-input-refused")

    class Reads(primitives.ShortNumberFilledUp.Reads, Lenient):
        pass


class ShortNameTakenAsItIs(_Reading, breaks="primitives.short-input-refused"):
    """Takes as much of a name as the request has, whatever the length before it says."""

    implies = ("framing.short-body-closes", "primitives.length-beyond-input-refused")

    class Reads(primitives.ShortTextTakenAsItIs.Reads, Lenient):
        pass


class RestOfRequestAwaited(BrokerMutant, breaks="primitives.short-input-refused"):
    """Waits for more when a frame ends before its request does."""

    implies = ("framing.short-body-closes", "primitives.length-beyond-input-refused")

    Sessions = LetsPass


class VarintReadToItsEnd(_Reading, breaks="primitives.varint-too-long-refused"):
    """Reads a varint in a request for as long as its bytes say that another one follows."""

    class Reads(malformed.VarintWithoutEnd.Reads, Lenient):
        pass


class PaddedVarintAwaited(_Waiting, breaks="primitives.varint-overlong-accepted"):
    """Never answers a request with a varint that is longer than it need be."""

    class Reads(Lenient):
        def overlong(self, path: str, start: int) -> None:
            raise _Lost


class PaddedVarintIsNull(_Reading, breaks="primitives.varint-overlong-accepted"):
    """Takes a padded length in a request for one less."""

    class Reads(Lenient):
        padded = False

        def overlong(self, path: str, start: int) -> None:
            self.padded = True

        def text(self, raw: bytes, path: str, begin: int) -> str:
            padded, self.padded = self.padded, False
            text = super().text(raw, path, begin)
            return text[:-1] if padded else text


class OverflowingVarintAwaited(_Waiting, breaks="primitives.varint-overflow-dropped"):
    """Never answers a request with a varint of more than 32 bits."""

    class Reads(Lenient):
        def overflow(self, value: int, path: str, start: int) -> int:
            raise _Lost


class OnlyOneAsksForOperations(_Reading, breaks="primitives.boolean-non-zero-true"):
    """Takes a boolean in a request for false where its byte is above 1."""

    class Reads(malformed.OnlyOneIsTrue.Reads, Lenient):
        pass


class OtherBooleansAwaited(_Waiting, breaks="primitives.boolean-non-zero-true"):
    """Never answers a request with a boolean that is neither 0 nor 1."""

    class Reads(Lenient):
        def fixed(self, kind: str, path: str) -> Any:
            value = super().fixed(kind, path)
            if kind == "bool" and self.data[self.offset - 1] > 1:
                raise _Lost
            return value


class NamesAreLatin1(_Reading, breaks="primitives.invalid-utf8"):
    """Reads names that are not UTF-8 as Latin-1."""

    class Reads(malformed.TextIsLatin1.Reads, Lenient):
        def text(self, raw: bytes, path: str, begin: int) -> str:
            try:
                return raw.decode("utf-8")
            except UnicodeDecodeError:
                return raw.decode("latin-1")


class InvalidNamesAwaited(_Waiting, breaks="primitives.invalid-utf8"):
    """Never answers a request with a name that is not UTF-8."""

    class Reads(Lenient):
        def text(self, raw: bytes, path: str, begin: int) -> str:
            try:
                return raw.decode("utf-8")
            except UnicodeDecodeError:
                raise _Lost from None


class MissingTagsAreNone(_Reading, breaks="tags.section-required"):
    """Takes the end of a request for an empty tag section."""

    implies = ("primitives.short-input-refused",)

    class Reads(tags.MissingSectionIsEmpty.Reads, Lenient):
        pass


class TagsUntilFrameEnds(_Reading, breaks="tags.count-beyond-input-refused"):
    """Answers a request that announces more tagged fields than it has."""

    class Reads(malformed.TagsUntilTheEnd.Reads, Lenient):
        pass


class MissingTagsAwaited(_Waiting, breaks="tags.count-beyond-input-refused"):
    """Waits for the tagged fields that a request announces beyond its frame."""

    class Reads(Lenient):
        def tag_count(self, here: str) -> int:
            if (count := self.uvarint(f"{here}(count)")) > self.remaining:
                raise _Lost
            return count


class HugeTagCountAwaited(_Waiting, breaks="tags.count-above-int32"):
    """Never answers a request that announces 2^31 tagged fields or more."""

    class Reads(Lenient):
        def tag_count(self, here: str) -> int:
            if (count := self.uvarint(f"{here}(count)")) >= 2**31:
                raise _Lost
            return count


class HugeTagCountIsNone(_Reading, breaks="tags.count-above-int32"):
    """Answers a request that announces 2^31 tagged fields or more."""

    class Reads(malformed.HugeTagCountTakenForNone.Reads, Lenient):
        pass


class TagTakesRestOfRequest(_Reading, breaks="tags.size-beyond-input-refused"):
    """Answers a request with a tag whose size is more than what is left."""

    class Reads(malformed.TagTakesWhatIsThere.Reads, Lenient):
        pass


class RestOfTagAwaited(_Waiting, breaks="tags.size-beyond-input-refused"):
    """Waits for the bytes of a tagged field that its size promises beyond the frame."""

    class Reads(Lenient):
        def tag_size(self, here: str) -> int:
            if (size := super().tag_size(here)) > self.remaining:
                raise _Lost
            return size


class HugeTagSizeAwaited(_Waiting, breaks="tags.size-above-int32"):
    """Never answers a request with a tagged field of 2^31 bytes or more."""

    class Reads(Lenient):
        def tag_size(self, here: str) -> int:
            if (size := super().tag_size(here)) >= 2**31:
                raise _Lost
            return size


class UnsortedTagsAwaited(_Waiting, breaks="tags.unsorted-accepted"):
    """Never answers a request whose tagged fields are not in ascending order."""

    class Reads(Lenient):
        def not_ascending(self, number: int, previous: int, here: str, start: int) -> None:
            if number < previous:
                raise _Lost


class TagTwiceAwaited(_Waiting, breaks="tags.duplicate-unknown"):
    """Never answers a request that has a tagged field twice."""

    class Reads(Lenient):
        def not_ascending(self, number: int, previous: int, here: str, start: int) -> None:
            if number == previous:
                raise _Lost


class TrailingBytesDropRequest(BrokerMutant, breaks="framing.trailing-bytes-ignored"):
    """Drops a request behind whose last field there are bytes, and goes on."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            answer = super().respond(frame)
            reads = self.broker.reads
            assert isinstance(reads, LenientCodec)
            return None if any("after the last" in str(each) for each in reads.forgiven) else answer


class TrailingBytesAnswered(BrokerMutant, breaks="framing.trailing-bytes-ignored"):
    """Ends an answer with the bytes that were behind the last field of the request."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            answer = super().respond(frame)
            reads = self.broker.reads
            assert isinstance(reads, LenientCodec)
            more = any("after the last" in str(each) for each in reads.forgiven)
            return answer + frame[-1:] if answer and more else answer
