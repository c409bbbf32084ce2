"""aiokafka and batches of records: its native classes, as its consumer reads them.

The partition leader epoch, which they don't show, is read by the library's layout of the header.
Its builder takes no batch as it is (the base offset is 0, times are those of the records), so
writing is not declared. A record's attributes are not shown; nobody has given them a meaning yet.
"""

import adapter
from aiokafka.errors import CorruptRecordException
from aiokafka.record.default_records import DefaultRecordBase
from aiokafka.record.memory_records import MemoryRecords
from values import text

MESSAGE = "RecordBatch"


def int64(number):
    """As in the native classes, where times are 64 bits wide whatever they add up to."""
    return (number + 2**63) % 2**64 - 2**63


def record(item, batch):
    return {
        "attributes": 0,
        "timestampDelta": int64(item.timestamp - batch.first_timestamp),
        "offsetDelta": item.offset - batch.base_offset,
        "key": text(item.key),
        "value": text(item.value),
        "headers": [{"key": key, "value": text(value)} for key, value in item.headers],
    }


def read(data):
    batch = MemoryRecords(data).next_batch()
    if batch is None:
        raise CorruptRecordException("no whole batch")
    if not batch.validate_crc():  # as the consumer does, unless check_crcs is off
        raise CorruptRecordException("wrong checksum")
    value = {
        "baseOffset": batch.base_offset,
        "partitionLeaderEpoch": DefaultRecordBase.HEADER_STRUCT.unpack_from(data)[2],
        "attributes": batch.attributes,
        "lastOffsetDelta": batch.last_offset_delta,
        "baseTimestamp": batch.first_timestamp,
        "maxTimestamp": batch.max_timestamp,
        "producerId": batch.producer_id,
        "producerEpoch": batch.producer_epoch,
        "baseSequence": batch.base_sequence,
    }
    return value | {"records": [record(item, batch) for item in batch]}, None


class Codec(adapter.Codec):
    def hello(self):
        said = super().hello()
        said["messages"][MESSAGE] = {"versions": [[2, 2]], "ops": ["decode"]}
        return said

    def decode(self, message, version, data):
        return read(data) if message == MESSAGE else super().decode(message, version, data)
