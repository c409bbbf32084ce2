"""FindCoordinator otherwise than KIP-699 has it."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.codecs.mutants.clauses.reshaped import Reshaped
from conformance.schema.layout import WireField
from conformance.wire.writer import Writer


class KeysLeftOut(Reshaped):
    """Lacks the keys of FindCoordinator in version 4."""

    messages = ("FindCoordinatorRequest",)
    within = range(4, 5)
    without = ("coordinatorKeys",)


class OneKeyLeftOut(Reshaped):
    """Lacks the key of FindCoordinator in version 3."""

    messages = ("FindCoordinatorRequest",)
    within = range(3, 4)
    without = ("key",)


class OneKeyBesideTheKeys(Reshaped):
    """Has one number more in version 4 of FindCoordinator, where the key had been."""

    messages = ("FindCoordinatorRequest",)
    within = range(4, 5)
    added = ("key",)


class TypeLeftOutInVersion1(Reshaped):
    """Lacks the type of the key in version 1 of FindCoordinator."""

    messages = ("FindCoordinatorRequest",)
    within = range(1, 2)
    without = ("keyType",)


class TypeInVersion0(Reshaped):
    """Has one number more in version 0 of FindCoordinator, the type of the key."""

    messages = ("FindCoordinatorRequest",)
    within = range(1)
    added = ("keyType",)


class TypeOfTwoBytes(Reshaped):
    """Takes the type of the key in FindCoordinator for an INT16."""

    messages = ("FindCoordinatorRequest",)
    types: ClassVar = {"keyType": "int16"}


class TypeBesideEachKey(Reshaped):
    """Lacks the one type of all keys in version 4 of FindCoordinator."""

    messages = ("FindCoordinatorRequest",)
    within = range(4, 5)
    without = ("keyType",)


class TypeFirstInVersion2(Reshaped):
    """Has the type before the key in version 2 of FindCoordinator."""

    messages = ("FindCoordinatorRequest",)
    within = range(2, 3)
    order = ("keyType", "key")


class CoordinatorsLeftOut(Reshaped):
    """Lacks the coordinators in version 4 of the answer to FindCoordinator."""

    messages = ("FindCoordinatorResponse",)
    within = range(4, 5)
    without = ("coordinators",)


class CoordinatorsAtTheTopInVersion4(Reshaped):
    """Has one number more at the top of version 4 of the answer to FindCoordinator."""

    messages = ("FindCoordinatorResponse",)
    within = range(4, 5)
    added = ("nodeId",)


class HostBeforeNode(Reshaped):
    """Has the host of a coordinator before its node id."""

    messages = ("FindCoordinatorResponse",)
    within = range(4, 100)
    order = ("host", "nodeId")


class HostBeforeKey(Reshaped):
    """Has the host of a coordinator before its key and the key behind the node."""

    messages = ("FindCoordinatorResponse",)
    within = range(4, 100)
    order = ("host", "nodeId", "key")


class MessageLeftOutInVersion1(Reshaped):
    """Lacks the error message in version 1 of the answer to FindCoordinator."""

    messages = ("FindCoordinatorResponse",)
    within = range(1, 2)
    without = ("errorMessage",)


class MessageNeverNull(Reshaped):
    """Lets the error message be null in no answer to FindCoordinator."""

    messages = ("FindCoordinatorResponse",)
    never_null = ("errorMessage",)


class ThrottleTimeBehindTheCode(Reshaped):
    """Has the throttle time behind the error code in the answer to FindCoordinator."""

    messages = ("FindCoordinatorResponse",)
    within = range(1, 4)
    order = ("errorCode", "throttleTimeMs")


class ThrottleTimeLeftOut(Reshaped):
    """Lacks the throttle time in version 1 of the answer to FindCoordinator."""

    messages = ("FindCoordinatorResponse",)
    within = range(1, 2)
    without = ("throttleTimeMs",)


class KeysForgottenBeforeVersion4(Reshaped):
    """Drops the keys of FindCoordinator in versions that have room for one key."""

    messages = ("FindCoordinatorRequest",)
    within = range(4)

    class Writes(Writer):
        def absent_field(self, item: WireField, given: Any, here: str) -> None:
            """Refuse any other value of another version. Raises EncodeError."""
            if item.name != "coordinatorKeys":
                super().absent_field(item, given, here)
