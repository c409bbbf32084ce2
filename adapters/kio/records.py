"""kio and batches of records: its readers, and its writer of a batch that was read.

That writer takes the length and the checksum as they were read, so a batch can't be written from a
value alone. Compression is not offered. Times are datetime objects, header keys bytes.
"""

import base64
import io

import adapter
from kio.records.readers import read_batch
from kio.records.writers import write_batch

MESSAGE = "RecordBatch"


def text(data):
    return None if data is None else base64.b64encode(data).decode()


def record(item, batch):
    header = {"key": lambda key: None if key is None else key.decode(), "value": text}
    return {
        "attributes": item.attributes,
        "timestampDelta": (item.timestamp - adapter.EPOCH) // adapter.MS - batch.base_timestamp,
        "offsetDelta": item.offset - batch.base_offset,
        "key": text(item.key),
        "value": text(item.value),
        "headers": [
            {name: show(getattr(each, name)) for name, show in header.items()}
            for each in item.headers
        ],
    }


def read(data):
    batch, size = read_batch(data, 0)
    value = {
        "baseOffset": batch.base_offset,
        "partitionLeaderEpoch": batch.partition_leader_epoch,
        "attributes": batch.attributes,
        "lastOffsetDelta": batch.last_offset_delta,
        "baseTimestamp": batch.base_timestamp,
        "maxTimestamp": batch.max_timestamp,
        "producerId": batch.producer_id,
        "producerEpoch": batch.producer_epoch,
        "baseSequence": batch.base_sequence,
    }
    return value | {"records": [record(item, batch) for item in batch.records]}, len(data) - size


class Codec(adapter.Codec):
    def hello(self):
        said = super().hello()
        said["messages"][MESSAGE] = {"versions": [[2, 2]], "ops": ["decode", "roundtrip"]}
        return said | {"compression": []}

    def decode(self, message, version, data):
        return read(data) if message == MESSAGE else super().decode(message, version, data)

    def roundtrip(self, message, version, data):
        if message != MESSAGE:
            return super().roundtrip(message, version, data)
        batch, _ = read_batch(data, 0)
        try:
            buffer = io.BytesIO()
            write_batch(buffer, batch)
            return buffer.getvalue()
        except Exception as error:
            error.stage = "encode"
            raise
