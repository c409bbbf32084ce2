"""kafka-python and batches of records: what its consumer reads them with.

Its builder takes no batch as it is (offsets begin at 0, times are those of the records), so writing
is not declared. A record's attributes are not shown; nobody has given them a meaning yet.
"""

import base64

import adapter
from kafka.errors import CorruptRecordError
from kafka.record import MemoryRecords

MESSAGE = "RecordBatch"
FIELD = "Records"


def text(data):
    return None if data is None else base64.b64encode(data).decode()


def record(item, batch):
    return {
        "attributes": 0,
        "timestampDelta": item.timestamp - batch.first_timestamp,
        "offsetDelta": item.offset - batch.base_offset,
        "key": text(item.key),
        "value": text(item.value),
        "headers": [{"key": key, "value": text(value)} for key, value in item.headers],
    }


def read(data):
    batch = MemoryRecords(data).next_batch()
    if batch is None:
        raise CorruptRecordError("no whole batch")
    if not batch.validate_crc():  # as the consumer does, unless check_crcs is off
        raise CorruptRecordError("wrong checksum")
    if batch.magic != 2:
        raise CorruptRecordError(f"a batch of format {batch.magic}")
    value = {
        "baseOffset": batch.base_offset,
        "partitionLeaderEpoch": batch.leader_epoch,
        "attributes": batch.attributes,
        "lastOffsetDelta": batch.last_offset_delta,
        "baseTimestamp": batch.first_timestamp,
        "maxTimestamp": batch.max_timestamp,
        "producerId": batch.producer_id,
        "producerEpoch": batch.producer_epoch,
        "baseSequence": batch.base_sequence,
    }
    remaining = len(data) - batch.size_in_bytes
    return value | {"records": [record(item, batch) for item in batch]}, remaining


def read_field(data, version):
    """Every record of a field, as the consumer iterates over it."""
    field, attributes, records = MemoryRecords(data), [], []
    while field.has_next():
        batch = field.next_batch()
        if not batch.validate_crc():
            raise CorruptRecordError("wrong checksum")
        kept = batch.compression_type | (batch.timestamp_type or 0) << 3
        attributes.append(kept)
        for item in batch:
            shown = {"offset": item.offset, "key": text(item.key), "value": text(item.value)}
            if version > 0:
                shown["timestamp"] = item.timestamp
            if version > 1:
                headers = item.headers
                shown["headers"] = [{"key": key, "value": text(held)} for key, held in headers]
            records.append(shown)
    return {"attributes": attributes[0], "records": records}, None


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
