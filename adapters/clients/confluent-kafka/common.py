"""What the driver's modules share: limits, and what an older release may not have."""

import os
import sys
import time
from concurrent.futures import TimeoutError as FutureTimeout

from confluent_kafka import KafkaException

REQUEST_MS = 3000
START_S = 5
ACTION_S = 6
EVENTS = os.environ.get("KAFKA_TOPIC", "events")
TOKEN = (  # of the same user, that nobody signed
    "eyJhbGciOiJub25lIn0"
    ".eyJzdWIiOiJvbmUsdHdvPXRocmVlIiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQxMDI0NDQ4MDB9."
)
LOGIN = {
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.username": os.environ.get("KAFKA_USER", "one,two=three"),
    "sasl.password": os.environ.get("KAFKA_PASSWORD", "four=five,six"),
}


class DriverTimeout(Exception):
    """The client had as long as this driver gives it."""


def has(client, name):
    """What an older release may not have."""
    if not hasattr(client, name):
        print("unsupported it has no", name)
        sys.exit(1)
    return getattr(client, name)


def wait(answer):
    try:
        answer.result(ACTION_S + 1)
    except FutureTimeout:
        raise DriverTimeout(f"no answer within {ACTION_S + 1} s") from None


def read(consumer):
    """Wait for a record; what it returns are the errors on the way, which passed."""
    end, told = time.monotonic() + ACTION_S, []
    while (left := end - time.monotonic()) > 0:
        message = consumer.poll(left)
        if message is not None and not message.error():
            return told
        if message is not None:
            told.append(message.error())
            if told[-1].fatal():
                break
    if told:
        raise KafkaException(told[-1])
    raise DriverTimeout(f"no record came within {ACTION_S} s")


def write(producer, *messages, topic=EVENTS):
    """Write these at once, and wait for each: where it is. Raises what is told of one."""
    outcomes = []
    for message in messages:
        producer.produce(topic, on_delivery=lambda *told: outcomes.append(told), **message)
    producer.flush(ACTION_S + 1)
    if len(outcomes) < len(messages):
        raise DriverTimeout(f"nothing was told of a record within {ACTION_S + 1} s")
    for error, _ in outcomes:
        if error is not None:
            raise KafkaException(error)
    offsets = [message.offset() for _, message in outcomes]
    return ["none" if each is None else each for each in offsets]
