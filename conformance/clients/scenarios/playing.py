"""Bases of scenarios: brokers that rewrite their answers to one API, or end them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, cast

from conformance import error_codes
from conformance.clients.scenarios.actions import ACTIONS, Action
from conformance.clients.scenarios.scenario import Scenario
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup, Refused, Unanswered
from conformance.reference.broker.releases import NAMES
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


class OfOneApi(Scenario, is_known=False, about="MetadataRequest"):
    """Does something with one `api`: that of the request which the scenario is about."""

    api: ClassVar[str] = "Metadata"

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "about" in vars(cls) and "api" not in vars(cls):
            cls.api = cls.about.removesuffix("Request")


class Rewrites(OfOneApi):
    """Answers one API as no broker, or few, would."""

    sessions = RewritingSession

    def body(self, form: Form, body: Value) -> Value:
        """The answer as it is to be written."""
        return body

    def frame(self, form: Form, frame: bytes) -> bytes:
        """The answer as it is to be sent, without its length."""
        return frame


class Refuses(Rewrites, is_known=False):
    """Answers one API with an error, the first `times` that it has an element to refuse."""

    code: ClassVar[int]
    times = 1

    def body(self, form: Form, body: Value) -> Value:
        changed = self.changed(body) if self.times else body
        if changed != body:
            self.times -= 1
        return changed

    def changed(self, body: Value) -> Value:
        """The answer as a refusal."""
        raise NotImplementedError


EVER = 1_000_000
"""As good as any number of times."""


def in_camel_case(name: str) -> str:
    """Return the name of an error code as part of a class's name."""
    return name.title().replace("_", "")


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


class Ends(OfOneApi):
    """Ends what one API asks for, the first `left` times."""

    sessions = EndingSession
    left = EVER

    def end(self, session: EndingSession) -> None:
        raise NotImplementedError


class Silent(Ends):
    """Gives no answer, and keeps the connection."""

    def end(self, session: EndingSession) -> None:
        raise Unanswered


class Closes(Ends):
    """Closes the connection in place of an answer."""

    def end(self, session: EndingSession) -> None:
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


class _Mute(Scenario):
    """A broker that takes all that comes and answers nothing, as one may that has much to do."""

    class Sessions(Session):
        """Reads."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            yield from ()


UNANSWERED: Mapping[Action, type[Scenario]] = {
    action: type(f"Unanswered{action.capitalize()}", (_Mute,), {"action": action})
    for action in ACTIONS
}
"""By action, the broker that shows how long a client waits by itself."""
