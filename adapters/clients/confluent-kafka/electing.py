"""Leaders that are elected."""

from common import EVENTS, has, wait
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient


def elect(config):
    elected = has(AdminClient(config), "elect_leaders")
    from confluent_kafka import ElectionType  # since 2.6, as the call

    # A request_timeout is more than the call can be given: that of the socket counts.
    answer = elected(ElectionType.PREFERRED, [TopicPartition(EVENTS, 0)])
    wait(answer)
    for error in answer.result().values():
        if error is not None:
            raise error
