"""Large records, of which none waits for another."""

from common import DriverTimeout, write
from confluent_kafka import KafkaException
from writing import producer

LENGTH = 500_000
SHORT = 100
ROUNDS = ((b"a" * LENGTH, b"b" * SHORT), (b"c" * LENGTH, b"d" * LENGTH))
RECORD_MS = 3000


def large(config):
    """Each is sent whatever becomes of the others, in a batch of its own."""
    alone = {"message.timeout.ms": RECORD_MS, "linger.ms": 0, "batch.num.messages": 1}
    one, failed = producer(config, **alone), None
    for values in ROUNDS:
        try:
            write(one, *({"key": b"k", "value": each, "partition": 0} for each in values))
        except (KafkaException, DriverTimeout) as error:
            failed = error
    if failed is not None:
        raise failed


ACTIONS = {"large": large}
