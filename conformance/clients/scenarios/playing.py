"""Bases of scenarios: brokers that rewrite their answers to one API, or end them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, cast

from conformance import error_codes
from conformance.clients.scenarios.actions import ACTIONS, Action, played_for, with_removed
from conformance.clients.scenarios.scenario import Scenario
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup, Refused, Unanswered
from conformance.reference.broker.releases import NAMES, Ranges
from conformance.schema.layout import Form


class RewritingSession(Session):
    """Has its broker look at each answer before and after it is written."""

    def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
        """Return the answer; rewrite it for the one API."""
        broker = cast("Rewrites", self.broker)
        if name != broker.api:
            return super().write(name, version, correlation_id, body)
        form = broker.writes.form(f"{name}Response", version)
        frame = super().write(name, version, correlation_id, broker.body(form, body))
        return broker.frame(form, frame)


class Rewrites(Scenario):
    """Answers one API as no broker, or few, would."""

    api: ClassVar[str] = "Metadata"
    about = "MetadataRequest"
    sessions = RewritingSession

    def body(self, form: Form, body: Value) -> Value:
        """The answer as it is to be written."""
        del form
        return body

    def frame(self, form: Form, frame: bytes) -> bytes:
        """The answer as it is to be sent, without its length."""
        del form
        return frame


class EndingSession(Session):
    """Leaves the client without a whole answer."""

    is_cut = False

    def handle(self, request: Request) -> Value:
        """Return the answer, unless it is one that the broker ends or cuts."""
        broker = cast("Ends", self.broker)
        if NAMES[request.api_key] == broker.api and broker.left:
            broker.left -= 1
            broker.end(self)
        return super().handle(request)

    def answers(self, data: bytes) -> Iterator[bytes]:
        """The begin alone of the one that is cut."""
        for answer in super().answers(data):
            if self.is_cut:
                self.close()
                yield answer[: self.left_of(answer)]
                return
            yield answer

    def left_of(self, answer: bytes) -> int:
        """Return the number of bytes to send of an answer that is cut: half of them."""
        return len(answer) // 2


class Ends(Scenario):
    """Ends what one API asks for, the first `left` times."""

    api: ClassVar[str] = "Metadata"
    about = "MetadataRequest"
    sessions = EndingSession
    left = 1_000_000

    def end(self, session: EndingSession) -> None:
        raise NotImplementedError


class Silent(Ends):
    """Gives no answer, and keeps the connection."""

    def end(self, session: EndingSession) -> None:
        del session
        raise Unanswered


class Closes(Ends):
    """Closes the connection in place of an answer."""

    def end(self, session: EndingSession) -> None:
        del session
        raise Hangup


class Resets(Ends):
    """Resets the connection in place of an answer."""

    def end(self, session: EndingSession) -> None:
        session.torn = True
        raise Hangup


class Cuts(Ends):
    """Closes the connection in the middle of an answer."""

    def end(self, session: EndingSession) -> None:
        """Have the session cut the answer in half."""
        session.is_cut = True


class RefusesOnce(Scenario, is_known=False):
    """Refuses the first records that are written."""

    refusal = error_codes.MESSAGE_TOO_LARGE
    is_refused = False

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        """Refuse the first append with Refused; accept later ones."""
        if not self.is_refused:
            self.is_refused = True
            raise Refused(self.refusal)
        return super().append(request, topic, data)


class Serves(Scenario):
    """Serves some APIs in other versions than there are."""

    served: ClassVar[Ranges] = {}

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.versions = {**self.versions, **self.ranges()}

    @classmethod
    def ranges(cls) -> Ranges:
        """Return the versions that it serves otherwise: from the removed ones on if it `is_old`."""
        if not cls.is_old:
            return cls.served
        lowest = {key: low for key, (low, _) in played_for(cls.action).items()}
        older = with_removed(cls.served)
        return {
            key: older[key] if range_[0] == lowest.get(key) else range_
            for key, range_ in cls.served.items()
        }


class _Mute(Scenario):
    """A broker that takes all that comes and answers nothing, as one may that has much to do."""

    class Sessions(Session):
        """Reads."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            del data
            yield from ()

    sessions = Sessions


UNANSWERED: Mapping[Action, type[Scenario]] = {
    action: type(f"Unanswered{action.capitalize()}", (_Mute,), {"action": action})
    for action in ACTIONS
}
"""By action, the broker that shows how long a client waits by itself."""
