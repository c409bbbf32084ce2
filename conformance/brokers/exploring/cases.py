"""A conversation as a case: held, repeated and judged as any other dialogue is."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from conformance.brokers.dialogues import DialogueCase
from conformance.brokers.dialogues.talk import Facts, Talk
from conformance.brokers.exploring.conversation import Conversation
from conformance.brokers.exploring.learning import learned, warmed_up
from conformance.brokers.exploring.model import model_of
from conformance.brokers.exploring.side_by_side import SideBySide
from conformance.brokers.exploring.storing import case_of
from conformance.brokers.exploring.tidying import tidied
from conformance.dialogue import Broken, Dialogue, NotApplicable

RULE = "conversations.as-apache-kafka"
EXPLORING = "explored"
"""The item of a run for conversations that it makes up: its cases are of many messages."""


def held(facts: Facts, conversation: Conversation, times: int = 0) -> Dialogue:
    """Hold a whole conversation beside a model of its own, and remove what it made.

    What may pass is asked for again so many `times`, by default as often as any dialogue does.

    Raises Differs at the first answer that differs.
    """
    talk = Talk(facts)
    settings: dict[str, Any] = {}
    with suppress(Broken):
        yield from learned(talk, settings)
    if not times:  # else the search has asked for coordinators already
        with suppress(Broken, NotApplicable):
            yield from warmed_up(talk)
    model = model_of(facts, settings)
    both = SideBySide(talk, model, times)
    try:
        for asked in conversation:
            yield from both.ask(asked)
    except Broken:
        if times:  # else the last answer is shown as it came; all is removed at the end of a run
            with suppress(Broken):
                yield from tidied(talk, both.identities, model)
        raise
    with suppress(Broken):
        yield from tidied(talk, both.identities, model)


def as_case(facts: Facts, conversation: Conversation) -> DialogueCase:
    """Return a conversation as a case."""
    last = conversation[-1]
    return DialogueCase(
        id=case_of(conversation),
        rule=RULE,
        message=f"{last.api}Request",
        version=last.version,
        begin=partial(held, facts, conversation),
        malformed=False,
        control_case=partial(_served, facts),
        beside="nothing",
        apis=tuple(dict.fromkeys(asked.api for asked in conversation)),
    )


def _served(facts: Facts) -> Dialogue:
    """Send a request that every broker answers."""
    yield from Talk(facts).is_served()
