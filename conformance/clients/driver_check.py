"""A driver by itself: each action once, with a broker that does nothing wrong.

So that the author of a driver learns in a minute what the notes of a whole run would say in the
end. What fails beside others is asked again alone, as in a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

from conformance.clients.doubts import Doubts
from conformance.clients.runner import ClientRunner
from conformance.clients.scenarios.actions import ACTIONS, Action
from conformance.clients.scenarios.control_cases import WELL
from conformance.clients.target import ClientTarget
from conformance.clients.visits import AT_ONCE

State = Literal["done", "driver", "client", "unsupported"]
"""done: as the page says. driver, client: not so, and which of both is to be looked at first."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of one action; `detail` says what differs from the page, or why it failed."""

    action: Action
    state: State
    detail: str = ""


def check_driver(target: ClientTarget) -> Iterator[Checked]:
    """Check each action, in the order of their list. Raises CommandNotFound and OSError.

    The target has a program, which takes actions.
    """
    assert target.program is not None
    runner = ClientRunner(target.program, target.patience, target.telling)
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        yield from pool.map(lambda action: _checked(runner, action), ACTIONS)
    except KeyboardInterrupt:
        runner.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _checked(runner: ClientRunner, action: Action) -> Checked:
    first = _seen(runner, action, alone=False)
    is_well = first.state in ("done", "unsupported")
    return first if is_well else _seen(runner, action, alone=True)


def _seen(runner: ClientRunner, action: Action, *, alone: bool) -> Checked:
    visit = (runner.receive_alone if alone else runner.receive)(WELL[action])
    if visit.ended.outcome == "unsupported":
        return Checked(action, "unsupported", visit.ended.text)
    doubts = Doubts()
    doubts.take(action, visit)
    if detail := doubts.drivers.get(action):
        return Checked(action, "driver", detail)
    detail = doubts.clients.get(action, "")
    return Checked(action, "client" if detail else "done", detail)
