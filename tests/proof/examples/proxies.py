"""The examples of rules of proxies, made from dialogues and mutants.

The reference proxy and each mutant of a rule hold its dialogues in this process. The first frame
that the mutant lets out differently is the example, beside the frame that went in; of all examples,
the shortest is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice

from conformance.dialogue import Broken, Received
from conformance.error_codes import UNSUPPORTED_VERSION
from conformance.proxies.dialogues import ProxyCase, ends
from conformance.proxies.dialogues.talk import ProxyFacts
from conformance.proxies.exchanges import exchange
from conformance.proxies.in_process import OWN, LinkLine, LinkPeer, LinkUpstream
from conformance.proxies.mutants import ProxyMutant, proxy_mutants
from conformance.proxies.score import every_case
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.translation import CLIENT_IDS
from conformance.rules.examples.exchanges import PROXIES, Exchange, Side
from tests.proof.examples.making import Maker, exchange_of
from tests.proof.examples.sides import Asked, asked, cut, of_either
from tests.proof.examples.sides import request as request_side
from tests.proof.examples.sides import response as response_side

_UNSUPPORTED = UNSUPPORTED_VERSION.to_bytes(2, "big")
_ENOUGH = 30
"""The number of cases of a mutant that are looked at."""
_SAYS = {
    "closed": "nothing, and the connection is closed",
    "reset": "nothing, and the connection is closed",
    "silent": "nothing",
    "flood": "a frame is announced that is larger than any answer",
}


@dataclass(frozen=True, slots=True)
class _Out:
    """A frame or end that came out of a proxy at one end, and the input at the other."""

    at_client: bool
    given: bytes
    received: Received
    asks: bytes
    """The request that it answers, for a frame at the client."""

    @property
    def key(self) -> tuple[bool, bytes, str, bytes]:
        """The visible part of it."""
        return self.at_client, self.given, self.received.kind, self.received.frame


class _Upstream(LinkUpstream):
    """A cluster behind a proxy that keeps the requests, and the last answer."""

    def __init__(self, *, renames: bool = False) -> None:
        super().__init__(renames=renames)
        self.out: list[_Out] = []
        self.sent = self.wrote = b""

    def arrive(self, patience_s: float | None = None) -> Received:
        received = super().arrive(patience_s)
        self.out.append(_Out(at_client=False, given=self.sent, received=received, asks=b""))
        return received

    def answer(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        self.wrote = data
        super().answer(data, pieces, gap_s)


class _Line(LinkLine):
    """A client's connection that keeps the last request, and the answers."""

    def __init__(self, proxy: Proxy, upstream: _Upstream, node: int) -> None:
        super().__init__(proxy.link(), upstream, node)
        self._kept = upstream

    def send(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        self._kept.sent, self._kept.wrote = data, b""
        super().send(data, pieces, gap_s)

    def hear(self, patience_s: float | None = None, most_bytes: int = 0) -> Received:
        received = super().hear(patience_s, most_bytes)
        kept = self._kept
        self._kept.out.append(_Out(True, kept.wrote, received, kept.sent))
        return received


class _Peer(LinkPeer):
    """A proxy whose frames are kept, on both sides."""

    def __init__(self, proxy: Proxy, *, renames: bool = False) -> None:
        super().__init__(proxy)
        self.kept = _Upstream(renames=renames)
        self.upstream = self.kept

    def line(self, node: int) -> LinkLine:
        return _Line(self.proxy, self.kept, node)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A mutant whose output differs from the reference's."""

    mutant: type[ProxyMutant]
    case: str
    right: _Out
    wrong: _Out

    @property
    def worth(self) -> tuple[int, int, str, str]:
        """A sort key, the best first: two frames, then one; then the fewest bytes."""
        both = self.right.received, self.wrong.received
        frames = [each.kind for each in both].count("reply")
        size = len(self.right.given) + sum(len(each.frame) for each in both)
        return 2 - frames, size, self.case, self.mutant.__name__

    def example(self) -> Exchange:
        """Return it in the form in which it is stored."""
        right, wrong = self._out(self.right, is_right=True), self._out(self.wrong, is_right=False)
        rows = of_either(right, self.right.received, wrong, self.wrong.received)
        given = [self._side(self._given)]
        return exchange_of(self.mutant, self.case, given, (right, wrong), rows)

    def _out(self, out: _Out, *, is_right: bool) -> Side:
        if out.received.kind != "reply":
            return Side(says=_SAYS[out.received.kind])
        return self._side(out.received.frame, is_right=is_right)

    @property
    def _given(self) -> bytes:
        """The frame that went in, without its length; the first of several."""
        frames, rest = cut(self.right.given or self.right.asks)
        return frames[0] if frames else rest

    def _side(self, frame: bytes, *, is_right: bool = True) -> Side:
        if not self.right.at_client or (not self.right.given and frame == self._given):
            return request_side(frame)
        frames, _ = cut(self.right.asks)
        names = asked(frames[0]) if frames else None
        return response_side(frame, _refused(names, frame) if is_right else names)


def _refused(names: Asked | None, frame: bytes) -> Asked | None:
    """Return the API and version that a frame answers; a refused ApiVersions is of version 0."""
    refused = names and names[0] == "ApiVersions" and frame[4:6] == _UNSUPPORTED
    return ("ApiVersions", 0) if refused else names


def _shown(mutant: type[ProxyMutant]) -> Iterator[_Shown]:
    """Yield for each dialogue the first frame in which a mutant differs."""
    facts, known = every_case(mutant.rewrites, logs_in=bool(mutant.users_of))
    own = [case for case in known if mutant.breaks in case.rules]
    found = _different(mutant, facts, own)
    yield from islice(found, _ENOUGH)


def _different(
    mutant: type[ProxyMutant], facts: ProxyFacts, cases: Sequence[ProxyCase]
) -> Iterator[_Shown]:
    for case in ends(cases):
        wrong, broken = _held(mutant(OWN), case, facts)
        if broken is None or broken.judged_by not in ("", mutant.breaks):
            continue
        right, _ = _held(Proxy(OWN, rewrites=mutant.rewrites, users=mutant.users_of), case, facts)
        for one, other in zip(right, wrong, strict=False):
            if one.key != other.key and one.given == other.given:
                if "reply" in (one.received.kind, other.received.kind):
                    yield _Shown(mutant, case.id, one, other)
                break


def _held(proxy: Proxy, case: ProxyCase, facts: ProxyFacts) -> tuple[list[_Out], Broken | None]:
    """Return the output of one dialogue, whose names are the same each time, and its failure."""
    object.__setattr__(facts, "_names", count(1))
    peer = _Peer(proxy, renames=CLIENT_IDS in facts.rewrites)
    broken = exchange(case.begin(), peer).broken
    return peer.kept.out, broken


PROXIES_MADE = Maker("proxy", PROXIES, proxy_mutants, _shown)
