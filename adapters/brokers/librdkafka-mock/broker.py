"""librdkafka's mock cluster as one broker, until the end of stdin.

A client that is told to make a mock cluster runs it in threads of its own, and connects to it.
"""

import sys

from confluent_kafka.admin import AdminClient

START_TIMEOUT_S = 20.0


def main() -> None:
    client = AdminClient({"test.mock.num.brokers": 1})
    (broker,) = client.list_topics(timeout=START_TIMEOUT_S).brokers.values()
    print(f"{broker.host}:{broker.port}", flush=True)
    sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
