"""All records of a partition, each told as OFFSET/TIMESTAMP/KEY/VALUE."""

from aiokafka import AIOKafkaConsumer, TopicPartition

PARTITION = TopicPartition("events", 0)
END = b"end"


def text(raw):
    return "null" if raw is None else raw.decode()


def told(record):
    when = "none" if record.timestamp is None else record.timestamp
    return f"{record.offset}/{when}/{text(record.key)}/{text(record.value)}"


async def read(limits):
    alone = {"group_id": None, "isolation_level": "read_committed"}
    found = []
    async with AIOKafkaConsumer(**alone, **limits) as consumer:
        consumer.assign([PARTITION])
        await consumer.seek_to_beginning(PARTITION)
        async for record in consumer:
            found.append(told(record))
            if record.key == END:
                break
    return found


ACTIONS = {"read": read}
