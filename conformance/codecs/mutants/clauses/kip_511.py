"""ApiVersions otherwise than KIP-511 has it."""

from __future__ import annotations

from conformance.codecs.mutants.clauses.reshaped import Reshaped


class SoftwareVersionFirst(Reshaped):
    """Has the version of the software before its name in ApiVersions."""

    messages = ("ApiVersionsRequest",)
    order = ("clientSoftwareVersion", "clientSoftwareName")


class SoftwareLeftOut(Reshaped):
    """Lacks the name of the software in version 3 of ApiVersions."""

    messages = ("ApiVersionsRequest",)
    within = range(3, 4)
    without = ("clientSoftwareName",)


class FieldMoreInVersion3(Reshaped):
    """Has one plain field more in version 3 of the answer to ApiVersions than in version 2."""

    messages = ("ApiVersionsResponse",)
    within = range(3, 4)
    added = ("reserved",)


class ListBeforeTheError(Reshaped):
    """Has the list of APIs before the error code in the answer to ApiVersions."""

    messages = ("ApiVersionsResponse",)
    order = ("apiKeys", "errorCode")


class ErrorBehindTheListInVersion3(Reshaped):
    """Has the error code behind the list of APIs in version 3 of the answer to ApiVersions."""

    messages = ("ApiVersionsResponse",)
    within = range(3, 4)
    order = ("apiKeys", "errorCode")


class HighestBeforeLowest(Reshaped):
    """Has the highest version of an API before the lowest."""

    messages = ("ApiVersionsResponse",)
    order = ("maxVersion", "minVersion")


class ThrottleTimeInVersion0(Reshaped):
    """Has the throttle time in version 0 of the answer to ApiVersions."""

    messages = ("ApiVersionsResponse",)
    within = range(1)
    added = ("throttleTimeMs",)


class ThrottleTimeBeforeTheList(Reshaped):
    """Has the throttle time before the list of APIs."""

    messages = ("ApiVersionsResponse",)
    order = ("throttleTimeMs", "apiKeys")


class NoListInVersion0(Reshaped):
    """Lacks the list of APIs in version 0 of the answer to ApiVersions."""

    messages = ("ApiVersionsResponse",)
    within = range(1)
    without = ("apiKeys",)
