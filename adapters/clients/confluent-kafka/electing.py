"""Leaders that are elected."""

from common import ACTION_S, EVENTS, has, wait
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient


def elect(config):
    elected = has(AdminClient(config), "elect_leaders")
    from confluent_kafka import ElectionType  # since 2.6, as the call

    answer = elected(ElectionType.PREFERRED, [TopicPartition(EVENTS, 0)], request_timeout=ACTION_S)
    wait(answer)
    for error in answer.result().values():
        if error is not None:
            raise error
