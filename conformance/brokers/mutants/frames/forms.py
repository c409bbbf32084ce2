"""Headers and versions: the wrong header for a request or an answer, the wrong body for a version.

ApiVersions stays right unless a rule is about it, since a broker that can't be asked for its
versions fails every rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from conformance.api_keys import METADATA
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.codecs.mutants.mutant import retyped, with_fields
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.codec import LenientCodec
from conformance.schema.layout import Form

API_VERSIONS = "ApiVersions"


class _Headers(LenientCodec):
    """A reader that takes other headers for those of requests."""

    def header_form(self, form: Form) -> Form:
        """The header before a body, a wrong one but before ApiVersions."""
        right = super().header_form(form)
        return right if form.message.startswith(API_VERSIONS) else self.taken(form, right)

    def taken(self, form: Form, right: Form) -> Form:
        """Return the form that the header is read as."""
        del form
        return right


class _ReadsHeaders(BrokerMutant):
    """Reads headers as a class of its own says."""

    headers: type[_Headers] = _Headers

    def __init__(
        self,
        versions: Mapping[int, tuple[int, int]] | None = None,
        release: str = "",
        **more: object,
    ) -> None:
        super().__init__(versions, release, **more)
        self.reads = self.headers(release)


class ClassicHeaderWithTags(_ReadsHeaders, breaks="request-header.v1-fields"):
    """Looks for a tag section in the request header of inflexible versions."""

    implies = ("api-versions.advertised-is-served",)

    class headers(_Headers):  # noqa: N801
        """Header version 2 before all."""

        def taken(self, form: Form, right: Form) -> Form:
            del form, right
            return self.form("RequestHeader", 2)


class CorrelationIdReadFirst(_ReadsHeaders, breaks="request-header.v1-fields"):
    """Reads the correlation id before the api version in inflexible request headers."""

    implies = ("api-versions.advertised-is-served",)

    class headers(_Headers):  # noqa: N801
        """Two fields swapped."""

        def taken(self, form: Form, right: Form) -> Form:
            del form
            if right.version != 1:
                return right
            names = ("requestApiKey", "correlationId", "requestApiVersion", "clientId")
            return with_fields(right, *names)


class FlexibleHeaderWithoutTags(_ReadsHeaders, breaks="request-header.flexible-adds-tags"):
    """Reads the body of flexible versions from behind the client id, where tags are due."""

    implies = ("api-versions.advertised-is-served",)

    class headers(_Headers):  # noqa: N801
        """Header version 1 before all."""

        def taken(self, form: Form, right: Form) -> Form:
            del form, right
            return self.form("RequestHeader", 1)


class FlexibleHeaderOneVersionLate(_ReadsHeaders, breaks="request-header.flexible-adds-tags"):
    """Looks for no tag section in the request header of the first flexible version of Metadata."""

    implies = ("api-versions.advertised-is-served",)

    class headers(_Headers):  # noqa: N801
        """Header version 1 once more."""

        def taken(self, form: Form, right: Form) -> Form:
            """The classic one before one version."""
            late = (form.message, form.version) == ("MetadataRequest", 9)
            return self.form("RequestHeader", 1) if late else right


def _compact(header: Form) -> Form:
    return retyped(header, lambda type_, _: replace(type_, compact=type_.kind == "string"))


class CompactClientIdExpected(_ReadsHeaders, breaks="request-header.client-id-not-compact"):
    """Takes the client id of request header version 2 for a compact string."""

    implies = ("api-versions.advertised-is-served",)

    class headers(_Headers):  # noqa: N801
        """A header that is flexible throughout."""

        def taken(self, form: Form, right: Form) -> Form:
            """The header with a compact client id."""
            del form
            if right.version != 2:
                return right
            return _compact(right)


class CompactClientIdOfFirstFlexible(_ReadsHeaders, breaks="request-header.client-id-not-compact"):
    """Takes the client id of a flexible FindCoordinator for a compact string."""

    implies = ("api-versions.advertised-is-served",)

    class headers(_Headers):  # noqa: N801
        """A header of one message."""

        def taken(self, form: Form, right: Form) -> Form:
            """The header with a compact client id, before that message."""
            if right.version != 2 or form.message != "FindCoordinatorRequest":
                return right
            return _compact(right)


class _Written(Session):
    """A connection that changes answers, but those to ApiVersions."""

    def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
        frame = super().write(name, version, correlation_id, body)
        if name == API_VERSIONS:
            return frame
        flexible = self.broker.writes.form(f"{name}Response", version).flexible
        return self.changed(frame, flexible, name, version)

    def changed(self, frame: bytes, flexible: bool, name: str, version: int) -> bytes:
        del flexible, name, version
        return frame


class CorrelationIdOfEightBytesWritten(BrokerMutant, breaks="response-header.v0-fields"):
    """Writes the correlation id of inflexible answers as INT64."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(_Written):
        def changed(self, frame: bytes, flexible: bool, name: str, version: int) -> bytes:
            return frame if flexible else bytes(4) + frame


class ClassicAnswerWithTags(BrokerMutant, breaks="response-header.v0-fields"):
    """Writes a tag section into the header of inflexible answers too."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(_Written):
        def changed(self, frame: bytes, flexible: bool, name: str, version: int) -> bytes:
            return frame if flexible else frame[:4] + bytes(1) + frame[4:]


class FlexibleAnswerWithoutTags(BrokerMutant, breaks="response-header.flexible-adds-tags"):
    """Writes no tag section into the header of flexible answers."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(_Written):
        def changed(self, frame: bytes, flexible: bool, name: str, version: int) -> bytes:
            return frame[:4] + frame[5:] if flexible else frame


class AnswerTagsOneVersionLate(BrokerMutant, breaks="response-header.flexible-adds-tags"):
    """Writes no tag section into the header of the first flexible answer of Metadata."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(_Written):
        def changed(self, frame: bytes, flexible: bool, name: str, version: int) -> bytes:
            late = (name, version) == ("Metadata", 9)
            return frame[:4] + frame[5:] if late else frame


class ApiVersionsWithTaggedHeader(BrokerMutant, breaks="response-header.api-versions-stays-v0"):
    """Writes a tag section into the header of flexible ApiVersions answers."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(Session):
        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            frame = super().write(name, version, correlation_id, body)
            tagged = name == API_VERSIONS and version >= 3
            return frame[:4] + bytes(1) + frame[4:] if tagged else frame


class ApiVersionsWithTagsFromVersion4(BrokerMutant, breaks="response-header.api-versions-stays-v0"):
    """Writes a tag section into the header of ApiVersions answers from version 4 on."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(Session):
        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            frame = super().write(name, version, correlation_id, body)
            tagged = name == API_VERSIONS and version >= 4
            return frame[:4] + bytes(1) + frame[4:] if tagged else frame


class _Answers(Session):
    """A connection that answers Metadata in a version of its own choice."""

    def write_response(self, request: Request, body: Value) -> bytes:
        if request.api_key == METADATA:
            request = replace(request, version=self.chosen(request.version))
        return super().write_response(request, body)

    def chosen(self, version: int) -> int:
        return version


class AlwaysInVersion12(BrokerMutant, breaks="response-header.body-has-request-version"):
    """Answers Metadata in version 12, whatever was asked."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(_Answers):
        def chosen(self, version: int) -> int:
            return 12


class VersionOfFirstRequestKept(BrokerMutant, breaks="response-header.body-has-request-version"):
    """Answers each Metadata of a connection in the version of its first one."""

    class Sessions(_Answers):
        first: int | None = None

        def chosen(self, version: int) -> int:
            self.first = version if self.first is None else self.first
            return self.first


class FirstFlexibleAnsweredClassic(BrokerMutant, breaks="response-header.body-has-request-version"):
    """Answers the first flexible version of Metadata in the version before."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(_Answers):
        def chosen(self, version: int) -> int:
            return 8 if version == 9 else version
