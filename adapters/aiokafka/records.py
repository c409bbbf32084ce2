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
FIELD = "Records"
MAGIC_AT, ATTRIBUTES_AT = 16, (17, 17, 22)  # of a message or batch, not shown


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


def read_field(data, version):
    """Every record of a field, as the consumer iterates over it."""
    field, records = MemoryRecords(data), []
    while field.has_next():
        batch = field.next_batch()
        if not batch.validate_crc():
            raise CorruptRecordException("wrong checksum")
        for item in batch:
            shown = {"offset": item.offset, "key": text(item.key), "value": text(item.value)}
            if version > 0:
                shown["timestamp"] = -1 if item.timestamp is None else item.timestamp
            if version > 1:
                headers = item.headers
                shown["headers"] = [{"key": key, "value": text(held)} for key, held in headers]
            records.append(shown)
    attributes = data[ATTRIBUTES_AT[data[MAGIC_AT]]] & 0x0F
    return {"attributes": attributes, "records": records}, None


class Codec(adapter.Codec):
    def hello(self):
        said = super().hello()
        said["messages"][MESSAGE] = {"versions": [[2, 2]], "ops": ["decode"]}
        said["messages"][FIELD] = {"versions": [[0, 2]], "ops": ["decode"]}
        return said

    def decode(self, message, version, data):
        if message == FIELD:
            return read_field(data, version)
        return read(data) if message == MESSAGE else super().decode(message, version, data)
