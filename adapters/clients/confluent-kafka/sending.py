"""Records sent before others have been written, to one topic or two, and for some time."""

import time

from common import ACTION_S, EVENTS, LOGIN, DriverTimeout, write
from confluent_kafka import KafkaException
from writing import RECORD, producer

SEVERAL = 8
MANY = 80_000
STEADY = 25
PAUSE_S = 0.1
GATHER_MS = 1000  # longer than it takes to have all flushed
OTHER = "orders.v2"
NEW = "made-by-writing"


def stream(config):
    """Each is sent whatever becomes of the others, in a batch of its own."""
    alone = {"enable.idempotence": True, "linger.ms": 0, "batch.num.messages": 1}
    messages = ({**RECORD, "value": b"v%d" % number, "partition": 0} for number in range(SEVERAL))
    return write(producer(config, **alone), *messages)


def flush(config):
    """What is known of each when all have been flushed."""
    one, outcomes = producer(config, **{"linger.ms": GATHER_MS}), []
    for number in range(SEVERAL):
        message = {**RECORD, "value": b"v%d" % number, "partition": 0}
        one.produce(EVENTS, on_delivery=lambda *told: outcomes.append(told), **message)
    one.flush(ACTION_S)
    return ["written"] * len(outcomes) + ["waiting"] * (SEVERAL - len(outcomes))


def many(config):
    """Gathered in one batch, in the time that it takes to hand them over."""
    gathers = {"linger.ms": GATHER_MS, "batch.num.messages": MANY}
    one = producer(config, **{"enable.idempotence": True, **gathers})
    write(one, *[{**RECORD, "partition": 0}] * MANY)


def both(config):
    """The second is sent whatever became of the first; those that were written are told."""
    one, written, failed = producer(config), [], None
    for topic in (OTHER, EVENTS):
        try:
            write(one, {**RECORD, "partition": 0}, topic=topic)
            written.append(topic)
        except (KafkaException, DriverTimeout) as error:
            failed = error
    if not written:
        raise failed
    return written


def made(config):
    """To a topic that brokers are to make, as they may unless it is told otherwise."""
    write(producer(config), RECORD, topic=NEW)


def steady(config):
    """A record each tenth of a second, behind a login."""
    one = producer({**config, **LOGIN, "sasl.mechanisms": "PLAIN"})
    end = time.monotonic() + ACTION_S
    for _ in range(STEADY):
        if time.monotonic() > end:
            raise DriverTimeout(f"not all was written within {ACTION_S} s")
        write(one, RECORD)
        time.sleep(PAUSE_S)


ACTIONS = {
    "stream": stream,
    "flush": flush,
    "many": many,
    "both": both,
    "made": made,
    "steady": steady,
}
