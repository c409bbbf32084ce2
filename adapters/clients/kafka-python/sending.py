"""Records sent before others have been written, to one topic or two, and for some time."""

import time

from common import ACTION_MS, EVENTS, LOGIN
from writing import RECORD, producing, write

SEVERAL = 8
MANY = 80_000
MANY_BYTES = 1_000_000
STEADY = 25
PAUSE_S = 0.1
LOGIN_MS = 15_000  # more than a second connection takes behind one that is not answered
GATHER_MS = 1000  # longer than it takes to have all flushed
OTHER = "orders.v2"
NEW = "made-by-writing"


def stream(limits):
    """Each is sent whatever becomes of the others, in a batch of its own."""
    told, failed = [], None
    with producing(limits, enable_idempotence=True, batch_size=1) as producer:
        values = (b"v%d" % number for number in range(SEVERAL))
        sent = [producer.send(EVENTS, key=b"k", value=each, partition=0) for each in values]
        for each in sent:
            try:
                told.append(each.get(ACTION_MS / 1000).offset)
            except Exception as error:
                failed = error
    if failed is not None:
        raise failed
    return told


def flush(limits):
    """What is known of each when all have been flushed."""
    with producing(limits, linger_ms=GATHER_MS) as producer:
        values = (b"v%d" % number for number in range(SEVERAL))
        sent = [producer.send(EVENTS, key=b"k", value=each, partition=0) for each in values]
        producer.flush(ACTION_MS / 1000)
        return ["written" if each.is_done else "waiting" for each in sent]


def many(limits):
    """Gathered in batches that are as large as can be."""
    gathers = {"enable_idempotence": True, "linger_ms": GATHER_MS, "batch_size": MANY_BYTES}
    with producing(limits, **gathers) as producer:
        sent = [producer.send(EVENTS, partition=0, **RECORD) for _ in range(MANY)]
        for each in sent:
            each.get(ACTION_MS / 1000)


def both(limits):
    """The second is sent whatever became of the first; those that were written are told."""
    written, failed = [], None
    with producing(limits) as producer:
        for topic in (OTHER, EVENTS):
            try:
                producer.send(topic, partition=0, **RECORD).get(ACTION_MS / 1000)
                written.append(topic)
            except Exception as error:
                failed = error
    if not written:
        raise failed
    return written


def made(limits):
    """To a topic that brokers are to make, as they may unless it is told otherwise."""
    with producing(limits) as producer:
        producer.send(NEW, **RECORD).get(ACTION_MS / 1000)


def steady(limits):
    """A record each tenth of a second, behind a login."""
    as_user = {**limits, **LOGIN, "sasl_mechanism": "PLAIN"}
    with producing(as_user, max_block_ms=LOGIN_MS) as producer:
        for _ in range(STEADY):
            write(producer, RECORD)
            time.sleep(PAUSE_S)


ACTIONS = {
    "stream": stream,
    "flush": flush,
    "many": many,
    "both": both,
    "made": made,
    "steady": steady,
}
