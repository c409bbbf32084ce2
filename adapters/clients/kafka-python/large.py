"""Large records, of which none waits for another."""

from common import ACTION_MS, EVENTS
from kafka import KafkaProducer
from writing import producing

LENGTH = 500_000
SHORT = 100
ROUNDS = ((b"a" * LENGTH, b"b" * SHORT), (b"c" * LENGTH, b"d" * LENGTH))
RECORD_MS = 3000


def large(limits):
    """Each is sent whatever becomes of the others, in a batch of its own."""
    within = {"delivery_timeout_ms": RECORD_MS}
    known = {key: each for key, each in within.items() if key in KafkaProducer.DEFAULT_CONFIG}
    failed = None
    with producing(limits, batch_size=1, **known) as producer:
        for values in ROUNDS:
            sent = [producer.send(EVENTS, key=b"k", value=each, partition=0) for each in values]
            for each in sent:
                try:
                    each.get(ACTION_MS / 1000)
                except Exception as error:
                    failed = error
    if failed is not None:
        raise failed


ACTIONS = {"large": large}
