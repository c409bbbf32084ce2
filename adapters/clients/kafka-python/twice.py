"""Two transactions, the first of which may fail, and records whose time is up."""

import time
from threading import Thread

from common import ACTION_MS, EVENTS, DriverTimeout, has
from sending import SEVERAL
from writing import GATHER_MS, RECORD, producing
from writing import SEVERAL as AT_ONCE

WAIT_MS = 64
LATER_S = 2.5
END_S = 8  # of calls that have no time limit of their own
FIRST = tuple(b"v%d" % number for number in range(SEVERAL))


def twice(limits):
    """What became of each."""
    with producing(
        {**limits, "retry_backoff_ms": WAIT_MS}, transactional_id="tx-a", batch_size=1
    ) as producer:
        has(producer, "init_transactions")()
        return [committed(producer, values) for values in (FIRST, (b"w",))]


def committed(producer, values):
    """Whether these are committed, or else aborted."""
    producer.begin_transaction()
    try:
        for value in values:
            producer.send(EVENTS, key=b"k", value=value, partition=0)
        within_time(producer.commit_transaction)
    except DriverTimeout:
        raise
    except Exception:
        within_time(producer.abort_transaction)
        return "aborted"
    return "committed"


def within_time(call):
    ended = []
    thread = Thread(target=lambda: ended.append(outcome(call)), daemon=True)
    thread.start()
    thread.join(END_S)
    if not ended:
        raise DriverTimeout(f"no end within {END_S} s")
    if ended[0] is not None:
        raise ended[0]


def outcome(call):
    """What it raises."""
    try:
        call()
    except Exception as error:
        return error
    return None


def later(limits):
    """How often it was told of each record."""
    times = {"request_timeout_ms": 1400, "metadata_max_age_ms": 200, "linger_ms": GATHER_MS}
    with producing(
        {**limits, **times}, enable_idempotence=True, delivery_timeout_ms=1500
    ) as producer:
        told = [[] for _ in (*AT_ONCE, RECORD)]
        for message, to in zip(AT_ONCE, told[:-1], strict=True):
            sent(producer, message, to)
        time.sleep(LATER_S)
        sent(producer, RECORD, told[-1]).get(ACTION_MS / 1000)
        return [len(each) for each in told]


def sent(producer, message, told):
    future = producer.send(EVENTS, partition=0, **message)
    future.add_both(told.append)
    return future


ACTIONS = {"twice": twice, "later": later}
