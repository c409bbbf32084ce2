"""kafka-python up to 2.x and batches of records: what its consumer reads them with.

The header's fields, some of which the older releases don't show, are read by the library's layout.
Its builder takes no batch as it is (base offset and leader epoch are 0, times are those of the
records), so writing is not declared. A record's attributes are not shown.
"""

import base64

import adapter
from kafka.record import MemoryRecords
from kafka.record.default_records import DefaultRecordBase

MESSAGE = "RecordBatch"
FIELD = "Records"
HEADER = {  # our fields by their place in the library's layout
    "baseOffset": 0,
    "partitionLeaderEpoch": 2,
    "attributes": 5,
    "lastOffsetDelta": 6,
    "baseTimestamp": 7,
    "maxTimestamp": 8,
    "producerId": 9,
    "producerEpoch": 10,
    "baseSequence": 11,
}


def text(data):
    return None if data is None else base64.b64encode(data).decode()


def record(item, header):
    return {
        "attributes": 0,
        "timestampDelta": item.timestamp - header["baseTimestamp"],
        "offsetDelta": item.offset - header["baseOffset"],
        "key": text(item.key),
        "value": text(item.value),
        "headers": [{"key": key, "value": text(value)} for key, value in item.headers],
    }


def read(data):
    batch = MemoryRecords(data).next_batch()
    if batch is None:
        raise ValueError("no whole batch")
    if not batch.validate_crc():  # as the consumer does, unless check_crcs is off
        raise ValueError("wrong checksum")
    fields = DefaultRecordBase.HEADER_STRUCT.unpack_from(data)
    if fields[3] != 2:
        raise ValueError(f"a batch of format {fields[3]}")
    header = {name: fields[place] for name, place in HEADER.items()}
    remaining = len(data) - DefaultRecordBase.AFTER_LEN_OFFSET - fields[1]
    return header | {"records": [record(item, header) for item in batch]}, remaining


def read_field(data, version):
    """Every record of a field, as the consumer iterates over it."""
    field, attributes, records = MemoryRecords(data), [], []
    while field.has_next():
        batch = field.next_batch()
        if not batch.validate_crc():
            raise ValueError("wrong checksum")
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
        return said | {"ops": ["roundtrip", "decode"]}

    def decode(self, message, version, data):
        return read(data) if message == MESSAGE else read_field(data, version)
