"""Two transactions, the first of which may fail, and records whose time is up."""

import time

from common import ACTION_S, EVENTS, DriverTimeout, has
from confluent_kafka import KafkaException
from sending import SEVERAL
from writing import GATHER_MS, RECORD, producer
from writing import SEVERAL as AT_ONCE

WAIT_MS = 64
END_S = 4
LATER_S = 2.5
FIRST = tuple(b"v%d" % number for number in range(SEVERAL))


def two_transactions(config):
    """What became of each."""
    alone = {"transactional.id": "tx-a", "linger.ms": 0, "batch.num.messages": 1}
    waits = {"retry.backoff.ms": WAIT_MS}
    try:
        one = producer(config, **alone, **waits, **{"retry.backoff.max.ms": WAIT_MS})
    except KafkaException:  # before 2.3 it waits as long each time
        one = producer(config, **alone, **waits)
    has(one, "init_transactions")(ACTION_S)
    return [committed(one, values) for values in (FIRST, (b"w",))]


def committed(one, values):
    """Whether these are committed, or else aborted."""
    one.begin_transaction()
    try:
        for value in values:
            one.produce(EVENTS, partition=0, **{**RECORD, "value": value})
        ended(one.commit_transaction)
    except KafkaException as error:
        if error.args[0].fatal():
            raise
        ended(one.abort_transaction)
        return "aborted"
    return "committed"


def ended(end):
    """Called again as long as the client says that this may help."""
    until = time.monotonic() + END_S
    while True:
        try:
            return end(max(until - time.monotonic(), 0.1))
        except KafkaException as error:
            if not error.args[0].retriable():
                raise
            if time.monotonic() > until:
                raise DriverTimeout(f"no transaction ended within {END_S} s") from error


def later(config):
    """How often it was told of each record."""
    asks = {"topic.metadata.refresh.interval.ms": 200}
    limits = {"enable.idempotence": True, "message.timeout.ms": 1500, "linger.ms": GATHER_MS}
    one = producer(config, **asks, **limits)
    outcomes = [[] for _ in (*AT_ONCE, RECORD)]
    for message, told in zip(AT_ONCE, outcomes[:-1], strict=True):
        give(one, message, told)
    until = time.monotonic() + LATER_S
    while (left := until - time.monotonic()) > 0:
        one.poll(left)
    give(one, RECORD, outcomes[-1])
    one.flush(ACTION_S)
    for error in filter(None, outcomes[-1]):
        raise KafkaException(error)
    return [len(told) for told in outcomes]


def give(one, message, told):
    one.produce(EVENTS, partition=0, on_delivery=lambda error, _: told.append(error), **message)


ACTIONS = {"twice": two_transactions, "later": later}
