"""kio: frozen dataclasses generated from Kafka's definitions, a native reader, a Python writer.

kio's field names are the definitions' in snake_case, and a field that it gives a time type loses
its "Ms". Times are timedelta and datetime objects, error codes an enum, arrays tuples, and the zero
UUID is None. Unknown tagged fields are dropped. What its types can't hold is unsupported.
"""

import base64
import io
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import version as installed_version
from uuid import UUID

from kio.index import load_entity_schema, load_request_schema
from kio.schema.errors import ErrorCode
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer, readers
from kio.serial._implicit_defaults import get_tagged_field_default
from kio.serial._introspect import classify_field, is_optional
from kio.static.constants import EntityType

OPS = "roundtrip decode encode decode-request encode-request decode-response encode-response"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MS = timedelta(milliseconds=1)
NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
BYTES = (lambda data: base64.b64encode(data).decode(), base64.b64decode)
CONVERSIONS = {  # kio's type, its width left out: to JSON, from JSON. All others are JSON's own
    "bytes": BYTES,
    "records": BYTES,
    "error_code": (int, ErrorCode),
    "timedelta": (lambda time: time // MS, lambda ms: ms * MS),
    "datetime": (lambda time: (time - EPOCH) // MS, lambda ms: EPOCH + ms * MS),
    "float64": (lambda number: NOT_FINITE.get(str(number), number), float),
    "uuid": (
        lambda uuid: base64.urlsafe_b64encode(uuid.bytes)[:22].decode(),
        lambda text: UUID(bytes=base64.urlsafe_b64decode(text + "==")),
    ),
}


def json_name(field):
    head, *words = field.name.split("_")
    unit = ["Ms"] if field.metadata.get("kafka_type", "").startswith(("time", "date")) else []
    return head + "".join(word[:1].upper() + word[1:] for word in words + unit)


def conversions(field):
    kind, shape = field.metadata.get("kafka_type", "").partition("_i")[0], classify_field(field)
    read, write = CONVERSIONS.get(kind, (lambda item: item, lambda item: item))
    if is_dataclass(shape.type_):
        read, write = Entity(shape.type_).to_json, Entity(shape.type_).from_json
    # kio's None is JSON's null, except where kio takes one of Kafka's ordinary values for it
    null = {"uuid": "A" * 22, "datetime": -1 if is_optional(field) else None}.get(kind)
    to_json = with_null(read, None, null)
    from_json = with_null(write, null, None)
    if not shape.is_array:
        return to_json, from_json
    return with_null(lambda a: list(map(to_json, a))), with_null(lambda a: tuple(map(from_json, a)))


def with_null(function, null=None, answer=None):
    return lambda item: answer if item is None or item == null else function(item)


@cache
class Entity:  # how one of kio's dataclasses maps to a JSON object and to bytes, and back
    def __init__(self, schema):
        self.schema, self.decode, self.write = schema, entity_reader(schema), entity_writer(schema)
        self.fields = {json_name(f): (f.name, *conversions(f)) for f in fields(schema)}
        # A struct as a tagged field: kio's constructor has no default for it, though kio has one.
        tagged = [f for f in fields(schema) if "tag" in f.metadata and f.default is MISSING]
        self.absent = {f.name: get_tagged_field_default(f) for f in tagged}

    def to_json(self, item):
        return {name: read(getattr(item, own)) for name, (own, read, _) in self.fields.items()}

    def from_json(self, value):
        if lacking := value.keys() - self.fields.keys():
            raise NotImplementedError(f"{self.schema.__name__} of this version has no {lacking}")
        try:
            own = {self.fields[n][0]: self.fields[n][2](item) for n, item in value.items()}
            return self.schema(**self.absent | own)
        except (ValueError, OverflowError, TypeError) as error:  # or a field without a default
            raise NotImplementedError(f"kio's types can't hold it: {error}") from error

    def read(self, data, start=0):
        item, size = self.decode(data, start)
        return self.to_json(item), len(data) - start - size

    def encode(self, item):
        buffer = io.BytesIO()
        self.write(buffer, item)
        return buffer.getvalue()


class Codec:
    def __init__(self):
        self.index = {}  # message -> version -> what kio's index calls it
        for name, versions in schema_name_map.items():
            for version, paths in versions.items():
                for kind in paths.keys() - {EntityType.header}:
                    known = self.index.setdefault(paths[kind].partition(":")[2], {})
                    known[version] = (name, version, kind)

    def hello(self):
        messages = {name: [min(known), max(known)] for name, known in self.index.items()}
        about = {"name": "kio", "version": installed_version("kio"), "definitions": "4.3.1"}
        return about | {"ops": OPS.split(), "messages": messages, "window": 64, "defaults": True}

    def entity(self, message, version):
        return Entity(load_entity_schema(*self.index[message][version]))

    def roundtrip(self, message, version, data):
        item, _ = self.entity(message, version).decode(data, 0)
        try:
            return self.entity(message, version).encode(item)
        except Exception as error:
            error.stage = "encode"
            raise

    def decode(self, message, version, data):
        return self.entity(message, version).read(data)

    def encode(self, message, version, value):
        known = self.entity(message, version)
        return known.encode(known.from_json(value))

    def decode_request(self, data):
        (api_key, _), (api_version, _) = readers.read_int16(data, 0), readers.read_int16(data, 2)
        return self.decode_frame(Entity(load_request_schema(api_key, api_version)), data)

    def decode_response(self, message, version, data):
        return self.decode_frame(self.entity(message, version), data)

    def decode_frame(self, known, data):
        head = Entity(known.schema.__header_schema__)
        header, start = head.decode(data, 0)
        return head.to_json(header), *known.read(data, start)

    def encode_request(self, message, version, header, value):
        key = self.entity(message, version).schema.__api_key__
        header = header | {"requestApiKey": key, "requestApiVersion": version}
        return self.encode_response(message, version, header, value)

    def encode_response(self, message, version, header, value):
        head = Entity(self.entity(message, version).schema.__header_schema__)
        return head.encode(head.from_json(header)) + self.encode(message, version, value)
