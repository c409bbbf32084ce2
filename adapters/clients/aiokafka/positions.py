"""Records that are read one by one, and where the consumer says it is: OFFSET/POSITION."""

from aiokafka import AIOKafkaConsumer
from reading import END, PARTITION

PAUSE_MS = 200


async def position(limits):
    alone = {"group_id": None, "isolation_level": "read_committed"}
    told = []
    async with AIOKafkaConsumer(**alone, **limits) as consumer:
        consumer.assign([PARTITION])
        await consumer.seek_to_beginning(PARTITION)
        while True:
            record = await consumer.getone()
            told.append(f"{record.offset}/{await consumer.position(PARTITION)}")
            if record.key == END:
                return told
            if len(told) == 1:
                consumer.pause(PARTITION)
                await consumer.getmany(timeout_ms=PAUSE_MS)
                consumer.resume(PARTITION)


ACTIONS = {"position": position}
