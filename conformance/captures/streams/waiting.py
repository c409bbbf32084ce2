"""The requests of one connection that wait for an answer.

Nothing keeps a client from giving several requests one correlation id. Answers come in the order of
their requests, so an answer belongs to that request of its id which has waited longest. A Produce
with acks 0 has no answer, and does not wait.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from conformance.captures.streams.request_head import RequestHead

MOST_WAITING = 4096
_WRAP = 1 << 32


class Answered(NamedTuple):
    """The request that an answer belongs to; `late` means that a later one was answered earlier."""

    request: RequestHead
    late: bool


class Waiting:
    """Requests in their order, and by their correlation ids.

    `asked` is the number of requests so far, and `counts_up` is true if each had an id above that
    of the one before, so that no two share one. `dropped` is true if more waited than are kept.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self.asked = 0
        self.counts_up = True
        self.dropped = False
        self._most = most
        self._requests: dict[int, RequestHead] = {}
        self._orders: dict[int, deque[int]] = {}
        self._silent: deque[int] = deque(maxlen=most)
        self._answered = 0
        self._latest: int | None = None

    def __contains__(self, number: int) -> bool:
        return number in self._orders

    def __iter__(self) -> Iterator[int]:
        return iter(self._orders)

    def of(self, number: int) -> Iterator[RequestHead]:
        """Yield the requests of a correlation id, the oldest first."""
        return (self._requests[order] for order in self._orders.get(number, ()))

    def was_silent(self, number: int) -> bool:
        """True if a request of this id expects no answer."""
        return number in self._silent

    def add(self, request: RequestHead, *, silent: bool = False) -> None:
        """Add the next request; one that is `silent` has no answer and does not wait."""
        number = request.correlation_id
        self._count(number)
        if silent:
            self._silent.append(number)
            return
        self._requests[self.asked] = request
        self._orders.setdefault(number, deque()).append(self.asked)
        if len(self._requests) > self._most:
            self._take(next(iter(self._requests.values())).correlation_id)
            self.dropped = True

    def answer(self, number: int) -> Answered | None:
        """Remove and return the request with this correlation id, None if none waits."""
        if number not in self._orders:
            return None
        order, request = self._take(number)
        late = order < self._answered
        self._answered = max(order, self._answered)
        return Answered(request, late)

    def _count(self, number: int) -> None:
        ahead = 1 if self._latest is None else (number - self._latest) % _WRAP
        self.counts_up = self.counts_up and 0 < ahead < _WRAP // 2
        self._latest = number
        self.asked += 1

    def _take(self, number: int) -> tuple[int, RequestHead]:
        orders = self._orders[number]
        order = orders.popleft()
        if not orders:
            del self._orders[number]
        return order, self._requests.pop(order)
