"""Frames through a proxy: cut anywhere, many at once, in order, and no others.

A proxy may hold a request back until earlier ones on the connection are answered, as Apache Kafka's
brokers do: so if the next one does not arrive, the earlier ones are answered first.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence

from conformance.dialogue import (
    Answer,
    Arrive,
    Broken,
    Dialogue,
    Finish,
    HangUp,
    NotApplicable,
    OpenConnections,
    Pour,
    Receive,
    Received,
    Reconnect,
    Reset,
    Send,
    Step,
)
from conformance.proxies.dialogues import (
    Held,
    ProxyCase,
    basics,
    case_of,
    cases,
    dialogue,
    said,
    well_formed,
)
from conformance.proxies.dialogues.partitions import request_for
from conformance.proxies.dialogues.talk import (
    CORRELATED,
    IN_ORDER,
    Arrived,
    ProxyFacts,
    ProxyTalk,
    behind_client_id,
    number_of,
)

SPLIT = "proxy-frames.split-anywhere"
UNANSWERED = "proxy-frames.unanswered-stalls-nothing"
LARGE = "proxy-frames.large-frames-pass"
HALF_CLOSE = "proxy-frames.answered-after-half-close"
CLIENT_GONE = "proxy-frames.client-gone-ends-upstream"
BROKER_GONE = "proxy-frames.broker-gone-ends-client"
BROKER_BACK = "proxy-frames.broker-connected-again"
NOT_COMPLETED = "proxy-frames.cut-frame-not-completed"
BOUNDED = "proxy-frames.unread-answers-wait"
DELAYS_NOBODY = "proxy-frames.stalled-peers-delay-nobody"
CLIENT_LEFT = "the client has gone, and its connection to the broker stays"
BROKER_LEFT = "the broker has gone, and the client's connection stays"
OTHER_ORDER = "the requests come in another order"
ENDS = ("closed", "reset")
CLIENTS = 4
"""Clients one after the other: a pool gives the last of them the connection of an earlier one."""
RECONNECTIONS = 3
"""The number of clients that may find no broker while the proxy connects again."""
AT_ONCE = 20
PRODUCE_BYTES = 1024 * 1024
"""About message.max.bytes, by default the longest batch that a broker takes."""
TURN_S, NEXT_TURN_S = 1.0, 0.1
"""The time in seconds for a request to arrive after others, and after one was held back."""
POURED = 150
"""The number of answers of about a MiB each: more than the machine's sockets can buffer."""
FETCH_BYTES = 32 * 1024 * 1024
"""An answer within fetch.max.bytes, which is 50 MiB by default in Apache Kafka's client."""


@dialogue(CORRELATED)
def _correlation_ids_of_any_sign(talk: ProxyTalk) -> Dialogue:
    value = talk.plain("Metadata", talk.lowest)
    for number in (-1, -(2**31), 2**31 - 1, 0):
        sent = talk.frame("Metadata", talk.lowest, value, number, clientId=talk.client_id)
        arrived = yield from talk.forwarded(sent)
        yield from talk.answered(talk.metadata_answer(arrived), number)


@dialogue(CORRELATED)
def _one_correlation_id_twice(talk: ProxyTalk) -> Dialogue:
    """Send two requests with one id: each has to get its answer."""
    sent = talk.metadata()
    yield Send(sent + sent)
    yield from _in_turn(talk, [sent, sent], CORRELATED, talk.metadata_answer)


@dialogue(SPLIT)
def _request_one_byte_at_a_time(talk: ProxyTalk) -> Dialogue:
    sent = talk.metadata()
    yield Send(sent, pieces=1, gap_s=0.001)
    arrived = yield from talk.arrival(sent, judged_by=SPLIT)
    _expect_same_request(arrived, sent, "the request is not the one that was sent")
    yield from talk.answered(talk.metadata_answer(arrived), number_of(sent))


@dialogue(SPLIT)
def _answer_one_byte_at_a_time(talk: ProxyTalk) -> Dialogue:
    sent = talk.metadata()
    arrived = yield from talk.forwarded(sent)
    answer = talk.metadata_answer(arrived)
    yield Answer(answer, pieces=1, gap_s=0.001)
    got = yield from talk.returned(answer, number_of(sent), judged_by=SPLIT)
    if got[4:] != answer[8:]:
        raise Broken("the answer is not the one that was sent", answer[4:].hex(), got)


@dialogue(SPLIT)
def _two_requests_cut_within_the_second_size(talk: ProxyTalk) -> Dialogue:
    one, other = talk.metadata(), talk.metadata()
    yield Send(one + other, pieces=len(one) + 2, gap_s=0.02)
    yield from _in_turn(talk, [one, other], SPLIT, talk.metadata_answer)


@dialogue(SPLIT)
def _two_answers_cut_within_the_second_size(talk: ProxyTalk) -> Dialogue:
    one, other = talk.metadata(), talk.metadata()
    yield Send(one + other)
    came = yield from _together(talk, [one, other], SPLIT)
    answers = [talk.metadata_answer(each) for each in came]
    yield Answer(b"".join(answers), pieces=len(answers[0]) + 2, gap_s=0.02)
    yield from talk.returned(one, number_of(one), judged_by=SPLIT, others={number_of(other)})
    yield from talk.returned(other, number_of(other), judged_by=SPLIT)


@dialogue(IN_ORDER)
def _many_requests_at_once(talk: ProxyTalk) -> Dialogue:
    """Send many requests: all have to arrive in order, and their answers to come back in order."""
    sent = [talk.metadata() for _ in range(AT_ONCE)]
    yield Send(b"".join(sent))
    yield from _in_turn(talk, sent, IN_ORDER, talk.metadata_answer)


@cases
def _unacknowledged(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Yield a Produce with acks 0, and some in a row, which need that one is not waited for."""
    if facts.has("Produce"):
        alone = unacknowledged(facts)
        yield alone
        yield case_of(
            f"ProduceRequest/{said(_unacknowledged_in_a_row)}",
            (IN_ORDER,),
            "ProduceRequest",
            alone.version,
            Held(facts, _unacknowledged_in_a_row),
            basics=(*alone.basics, alone),
        )


def unacknowledged(facts: ProxyFacts) -> ProxyCase:
    """Return the case of a Produce with acks 0 between two other requests."""
    _, version = facts.range_of("Produce")
    lowest, _ = facts.range_of("Metadata")
    return case_of(
        f"ProduceRequest/{said(_produce_with_acks_0)}",
        (UNANSWERED,),
        "ProduceRequest",
        version,
        Held(facts, _produce_with_acks_0),
        basics=(*basics(facts, "Metadata", lowest), *basics(facts, "Produce", version)),
    )


def _unacknowledged_in_a_row(talk: ProxyTalk) -> Dialogue:
    """Send some Produce with acks 0, which have no answers, and a Metadata after them."""
    _, version = talk.facts.range_of("Produce")
    value = {**talk.plain("Produce", version), "acks": 0}
    sent = [
        *(talk.request("Produce", version, {**value, "transactionalId": f"{n}"}) for n in range(5)),
        talk.metadata(),
    ]
    yield Send(b"".join(sent))
    for each in sent:
        arrived = yield from talk.arrival(each, judged_by=IN_ORDER)
        _expect_same_request(arrived, each, OTHER_ORDER)


@dialogue(IN_ORDER)
def _short_answers_behind_long_ones(talk: ProxyTalk) -> Dialogue:
    """Answer the first request with 30,000 bytes, and those after it with some tens."""
    sent = [talk.metadata() for _ in range(3)]
    yield Send(b"".join(sent))
    names = iter([600, 0, 0])
    yield from _in_turn(
        talk, sent, IN_ORDER, lambda arrived: talk.metadata_answer(arrived, next(names))
    )


def _produce_with_acks_0(talk: ProxyTalk) -> Dialogue:
    """Send a Produce with acks 0, which has no answer; requests around it have to get theirs."""
    _, version = talk.facts.range_of("Produce")
    before, behind = talk.metadata(), talk.metadata()
    value = {**talk.plain("Produce", version), "acks": 0}
    unanswered = talk.request("Produce", version, value)
    yield Send(before + unanswered + behind)
    due = [(before, (yield from talk.arrival(before)))]
    if (came := (yield from _behind(TURN_S))) is None:
        yield from _answered_in_turn(talk, due)
    arrived = yield from talk.arrival(unanswered, first=came, judged_by=IN_ORDER)
    _expect_same_request(arrived, unanswered, OTHER_ORDER, IN_ORDER)
    due.append((behind, (yield from talk.arrival(behind, judged_by=UNANSWERED))))
    yield from _answered_in_turn(talk, due)


@dialogue(LARGE, api="Produce")
def _request_of_a_mebibyte(talk: ProxyTalk) -> Dialogue:
    _, version = talk.facts.range_of("Produce")
    topic = {"topicId": "AAAAAAAAAAAAAAAAAAAAKg"} if version >= 13 else {"name": "events"}
    partition = {"index": 0, "records": _base64_of_zeros(PRODUCE_BYTES)}
    value = {**talk.plain("Produce", version), "transactionalId": "x" * 30_000}
    value["topicData"] = [{**topic, "partitionData": [partition]}]
    sent = talk.request("Produce", version, value)
    arrived = yield from talk.forwarded(sent, judged_by=LARGE)
    if behind_client_id(arrived.frame) != behind_client_id(sent[4:]):
        raise Broken("the request is not the one that was sent", f"{len(sent)} bytes", "others")


@dialogue(LARGE, api="Fetch")
def _answer_of_32_mebibytes(talk: ProxyTalk) -> Dialogue:
    version = min(talk.facts.range_of("Fetch")[1], 12)  # topics by name, no addresses
    partition = {
        "partitionIndex": 0,
        "errorCode": 0,
        "highWatermark": 1,
        "records": _base64_of_zeros(FETCH_BYTES),
        "abortedTransactions": None,
    }
    value = talk.plain_answer("Fetch", version)
    value["responses"] = [{"topic": "events", "partitions": [partition]}]
    request = talk.request("Fetch", version, request_for(talk, "Fetch", version, value))
    arrived = yield from talk.forwarded(request)
    sent = talk.answer_frame("Fetch", version, value, arrived.number)
    got = yield from talk.answered(sent, number_of(request), judged_by=LARGE)
    if got[4:] != sent[8:]:
        raise Broken("the answer is not the one that was sent", f"{len(sent)} bytes", "others")


@dialogue(HALF_CLOSE)
def _half_closed_by_the_client(talk: ProxyTalk) -> Dialogue:
    if talk.facts.tls:
        raise NotApplicable("up to version 1.2 TLS ends both halves at once (RFC 5246, 7.2.1)")
    sent = talk.metadata()
    arrived = yield from talk.forwarded(sent)
    yield Finish()
    answer = talk.metadata_answer(arrived)
    yield from talk.answered(answer, number_of(sent), judged_by=HALF_CLOSE)


@dialogue(CLIENT_GONE)
def _closed_by_the_client(talk: ProxyTalk) -> Dialogue:
    yield from _left_behind(talk, Finish())


@dialogue(CLIENT_GONE)
def _reset_by_the_client(talk: ProxyTalk) -> Dialogue:
    yield from _left_behind(talk, Reset())


def _left_behind(talk: ProxyTalk, leave: Step) -> Dialogue:
    """Expect the connection to the broker to end with its client, or a pool to reuse it."""
    used: set[int] = set()
    for _ in range(CLIENTS):
        arrived, _ = yield from talk.passes("Metadata", talk.lowest)
        if arrived.connection in used:
            return
        used.add(arrived.connection)
        yield leave
        if _has_ended((yield Arrive())):
            return
        yield Reconnect()
    raise Broken(f"{CLIENT_LEFT}, of each of {CLIENTS} clients", "closed", "silent")


@dialogue(BROKER_GONE)
def _closed_by_the_broker(talk: ProxyTalk) -> Dialogue:
    """Expect the client's connection to end too, or another one to the broker to serve it."""
    gone, _ = yield from talk.passes("Metadata", talk.lowest)
    yield HangUp()
    if _has_ended((yield Receive())):
        return
    sent = talk.metadata()
    yield Send(sent)
    yield from _served_by_another(talk, sent, gone)


@dialogue(BROKER_GONE)
def _reset_by_the_broker_with_an_answer_due(talk: ProxyTalk) -> Dialogue:
    """Expect the client's connection to end too, or its request to be sent again."""
    sent = talk.metadata()
    gone = yield from talk.forwarded(sent)
    yield HangUp(reset=True)
    if not _has_ended((yield Receive())):
        yield from _served_by_another(talk, sent, gone)


@dialogue(BROKER_BACK)
def broker_ends_a_connection(talk: ProxyTalk) -> Dialogue:
    """Expect clients to be served after the broker has ended the connection of the one before.

    That is done once more than there are brokers, as a proxy may have a connection to each.
    """
    yield from talk.passes("Metadata", talk.lowest)
    for _ in range(len(talk.facts.brokers) + 1):
        yield HangUp()
        yield Receive(NEXT_TURN_S)
        yield from _served_again(talk)


def _served_again(talk: ProxyTalk) -> Dialogue:
    """Check that one of the next clients is served. Raises Broken."""
    for left in reversed(range(RECONNECTIONS)):
        yield Reconnect()
        try:
            yield from well_formed(ProxyTalk(talk.facts), BROKER_BACK)
        except Broken as broken:
            if not left:
                what = f"after the broker has ended a connection, {broken.detail}"
                raise Broken(what, broken.expected, broken.actual) from None
            yield Receive(TURN_S)
        else:
            return


def _served_by_another(talk: ProxyTalk, sent: bytes, gone: Arrived) -> Dialogue:
    """Check that a request arrives by a connection that is open, and is answered. Raises Broken.

    A client whose connection ends as it asks has not to wait either.
    """
    came = yield Arrive()
    while came and _is_of(gone, came):
        came = yield Arrive()
    if came is None or came.kind != "reply":
        if _has_ended((yield Receive(NEXT_TURN_S))):
            return
        raise Broken(BROKER_LEFT, "closed", "silent")
    answer = talk.metadata_answer((yield from talk.arrival(sent, first=came)))
    yield from talk.answered(answer, number_of(sent), judged_by=BROKER_GONE)


@dialogue(NOT_COMPLETED)
def _broker_gone_within_an_answer(talk: ProxyTalk) -> Dialogue:
    """Check that the proxy does not complete an answer that the broker did not finish."""
    sent = talk.metadata()
    arrived = yield from talk.forwarded(sent)
    answer = talk.metadata_answer(arrived, 10)
    yield Answer(answer[: len(answer) // 2])
    yield HangUp()
    received = yield Receive()
    assert received is not None
    if received.kind == "reply":
        what = "an answer of which the broker sent half comes whole"
        raise Broken(what, answer[4 : len(answer) // 2].hex(), received.frame)


@dialogue(NOT_COMPLETED)
def _client_gone_within_a_request(talk: ProxyTalk) -> Dialogue:
    """Check that the proxy does not complete a request that the client did not finish."""
    yield from well_formed(talk)
    sent = talk.metadata()
    yield Send(sent[:-5])
    yield Finish()
    received = yield Arrive()
    assert received is not None
    if received.kind == "reply":
        what = "a request of which the client sent a part comes whole"
        raise Broken(what, sent[4:-5].hex(), received.frame)


@dialogue(DELAYS_NOBODY)
def _one_beside_a_stalled_request(talk: ProxyTalk) -> Dialogue:
    """Send an unfinished request, and a whole one on another connection."""
    yield OpenConnections(1, talk.metadata()[:-5])
    yield from _served(talk)


@dialogue(DELAYS_NOBODY)
def one_beside_an_unanswered_request(talk: ProxyTalk) -> Dialogue:
    """Leave a request on one connection unanswered, and answer one on another."""
    waiting = talk.metadata()
    yield OpenConnections(1, waiting)
    yield from talk.arrival(waiting)
    yield from _served(talk)


@dialogue(BOUNDED)
def _answers_that_nobody_reads(talk: ProxyTalk) -> Dialogue:
    """Send many requests and read no answer: the broker's writes have to block."""
    sent = [talk.metadata() for _ in range(POURED)]
    yield Send(b"".join(sent))
    value = {**talk.plain_answer("Metadata", talk.lowest)}
    value["topics"] = [{"errorCode": 3, "name": "x" * 32_000, "partitions": []}] * 32
    answer = talk.answer_frame("Metadata", talk.lowest, value, 0)
    came = yield from _together(talk, sent, BOUNDED)
    answers = b"".join(answer[:4] + each.frame[4:8] + answer[8:] for each in came)
    taken = yield Pour(answers)
    assert taken is not None
    if int(taken.text) >= len(answers):
        what = f"it takes {taken.text} bytes for a client that reads none of them"
        raise Broken(what, "that the broker waits", f"{taken.text} bytes")


def _in_turn(
    talk: ProxyTalk, sent: Sequence[bytes], rule: str, answer: Callable[[Arrived], bytes]
) -> Dialogue:
    """Check that requests sent together arrive in order, and their answers come back in order."""
    due: list[tuple[bytes, bytes]] = []
    pause_s = TURN_S
    for each in sent:
        first = None
        if due and (first := (yield from _behind(pause_s))) is None:
            yield from _answer_all(talk, due, rule)
            pause_s = NEXT_TURN_S
        arrived = yield from talk.arrival(each, judged_by=rule, first=first)
        if rule == IN_ORDER:
            _expect_same_request(arrived, each, OTHER_ORDER)
        due.append((each, answer(arrived)))
    yield from _answer_all(talk, due, rule)


def _behind(pause_s: float) -> Generator[Step, Received | None, Received | None]:
    """Return the next request while others wait for answers; None if the proxy holds it back."""
    came = yield Arrive(pause_s)
    return came if came and came.kind != "silent" else None


def _answer_all(talk: ProxyTalk, due: list[tuple[bytes, bytes]], rule: str) -> Dialogue:
    """Have the broker answer all requests that have arrived at once, and clear the list."""
    yield Answer(b"".join(answer for _, answer in due))
    numbers = [number_of(sent) for sent, _ in due]
    for at, (_, answer) in enumerate(due):
        later = numbers[at + 1 :]
        yield from talk.returned(answer, numbers[at], judged_by=rule, others=later)
    due.clear()


def _answered_in_turn(talk: ProxyTalk, due: list[tuple[bytes, Arrived]]) -> Dialogue:
    """Have the broker answer the requests around a Produce with acks 0, one after the other."""
    numbers = [number_of(sent) for sent, _ in due]
    for at, (sent, arrived) in enumerate(due):
        yield Answer(talk.metadata_answer(arrived))
        later = numbers[at + 1 :]
        yield from talk.returned(sent, numbers[at], judged_by=UNANSWERED, others=later)
    due.clear()


def _together(
    talk: ProxyTalk, sent: Sequence[bytes], rule: str
) -> Generator[Step, Received | None, list[Arrived]]:
    """Return requests that were sent together, once all arrived before any is answered.

    Raises Broken, and NotApplicable if the proxy holds them back.
    """
    came: list[Arrived] = []
    for each in sent:
        first = None
        if came and (first := (yield from _behind(TURN_S))) is None:
            before = zip(sent, came, strict=False)
            due = [(request, talk.metadata_answer(arrived)) for request, arrived in before]
            yield from _answer_all(talk, due, rule)
            yield from talk.arrival(each, judged_by=rule)
            raise NotApplicable("it holds a request back until those before it are answered")
        came.append((yield from talk.arrival(each, judged_by=rule, first=first)))
    return came


def _served(talk: ProxyTalk) -> Dialogue:
    sent = talk.metadata()
    arrived = yield from talk.forwarded(sent, judged_by=DELAYS_NOBODY)
    answer = talk.metadata_answer(arrived)
    yield from talk.answered(answer, number_of(sent), judged_by=DELAYS_NOBODY)


def _is_of(gone: Arrived, received: Received) -> bool:
    """True for a late request on a connection that the broker has ended, or a connection's end."""
    is_late = received.kind == "reply" and received.connection == gone.connection
    return is_late or _has_ended(received)


def _has_ended(received: Received | None) -> bool:
    """True if a connection has ended."""
    return received is not None and received.kind in ENDS


def _expect_same_request(arrived: Arrived, sent: bytes, what: str, judged_by: str = "") -> None:
    """Raise Broken if the bytes of a request after its client id are not those that were sent."""
    if behind_client_id(arrived.frame) != behind_client_id(sent[4:]):
        raise Broken(what, sent[4:].hex(), arrived.frame, judged_by=judged_by)


def _base64_of_zeros(size: int) -> str:
    """Return about so many bytes of records; no broker looks into them here."""
    return "AAAA" * (size // 3)
