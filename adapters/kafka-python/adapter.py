"""kafka-python: message classes made at import from its own copy of Kafka's definitions.

Names and versions come from that copy, matched to the library's fields by position because it
renames a few. The zero UUID is None, the authorised operations are a set of bit numbers (None for
the lowest int32), a struct that is a tagged field and was not sent is None. An unknown tagged field
is read and never written, so it counts as dropped. A request's decoder does not say where it ended.
"""

import base64
import io
from functools import cache
from importlib.metadata import version as installed_version
from uuid import UUID

from kafka.protocol import admin, consumer, metadata, producer, sasl
from kafka.protocol.api_data import ApiData
from kafka.protocol.api_header import RequestHeader
from kafka.protocol.api_message import ApiMessage
from kafka.protocol.schemas import load_json

OPS = "roundtrip decode encode decode-request encode-request decode-response encode-response"
MODULES = (admin, consumer, metadata, producer, sasl)
NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
LOWEST = -(2**31)


def with_null(function, null=None, answer=None):
    return lambda item: answer if item is None or item == null else function(item)


BYTES = (with_null(lambda data: base64.b64encode(data).decode()), with_null(base64.b64decode))
CONVERSIONS = {  # the library's type: to JSON, from JSON. The ones not named here are JSON's own
    "bytes": BYTES,
    "records": BYTES,
    "float64": (lambda number: NOT_FINITE.get(str(number), number), float),
    "bitfield": (
        with_null(lambda bits: sum(1 << n for n in bits) - ((31 in bits) << 32), answer=LOWEST),
        with_null(lambda number: {n for n in range(32) if number >> n & 1}, null=LOWEST),
    ),
    "uuid": (
        with_null(lambda uuid: base64.urlsafe_b64encode(uuid.bytes)[:22].decode(), answer="A" * 22),
        with_null(lambda text: UUID(bytes=base64.urlsafe_b64decode(text + "==")), null="A" * 22),
    ),
}


class Struct:
    """How one version of a struct of the library maps to a JSON object and back."""

    def __init__(self, make, known, definition, version):
        self.make, self.version, self.fields = make, version, {}
        for field, defined in zip(known, definition, strict=True):
            name = defined["name"][:1].lower() + defined["name"][1:]
            optional = field.is_struct() and field.tagged_field_q(version)
            there = field.for_version_q(version)  # the library's classes hold the others as well
            self.fields[name] = (field.name, *self.conversion(field, defined), optional, there)

    def conversion(self, field, defined):
        own = (lambda item: item, lambda item: item)
        read, write = CONVERSIONS.get(field.type_str.removeprefix("[]"), own)
        if field.is_struct() or field.is_struct_array():
            known = field.array_of if field.is_array() else field
            inner = Struct(known.data_class, known._fields, defined["fields"], self.version)
            read, write = with_null(inner.to_json), with_null(inner.from_json)
        if not field.is_array():
            return read, write
        return with_null(lambda a: list(map(read, a))), with_null(lambda a: list(map(write, a)))

    def to_json(self, item):
        value = {}
        for name, (own, read, _, optional, there) in self.fields.items():
            if there and ((inner := getattr(item, own)) is not None or not optional):
                value[name] = read(inner)
        return value

    def from_json(self, value):
        if lacking := value.keys() - self.fields.keys():
            raise NotImplementedError(f"{self.make.__name__} has no {lacking}")
        given = ((self.fields[name], item) for name, item in value.items())
        return self.make(version=self.version, **{own: put(i) for (own, _, put, *_), i in given})


@cache
def struct(known, version):
    return Struct(known, known._struct._fields, load_json(known._json["name"])["fields"], version)


class Codec:
    def __init__(self):
        named = [getattr(module, name) for module in MODULES for name in module.__all__]
        classes = [c for c in named if isinstance(c, type) and issubclass(c, ApiMessage | ApiData)]
        self.classes = {known.name: known for known in classes}
        self.requests = {c.API_KEY: c for c in classes if c.type == "request"}

    def hello(self):
        messages = {name: known.valid_versions for name, known in self.classes.items()}
        about = {"name": "kafka-python", "version": installed_version("kafka-python")}
        codec = {"definitions": "4.3.1", "ops": OPS.split(), "messages": messages, "window": 64}
        return about | codec | {"defaults": True}

    def read(self, message, version, data):
        known = self.classes[message]
        if not issubclass(known, ApiData):
            return known.decode(data, version=version), None
        stream = io.BytesIO(data)
        return known.decode(stream, version=version, header=False), len(data) - stream.tell()

    def roundtrip(self, message, version, data):
        item, _ = self.read(message, version, data)
        try:
            return bytes(item.encode(header=False))
        except Exception as error:
            error.stage = "encode"
            raise

    def decode(self, message, version, data):
        item, remaining = self.read(message, version, data)  # perhaps of another version: KIP-511
        return struct(self.classes[message], item.version).to_json(item), remaining

    def encode(self, message, version, value):
        item = struct(self.classes[message], version).from_json(value)
        return bytes(item.encode(header=False))

    def decode_request(self, data):
        start = RequestHeader.decode(io.BytesIO(data), flexible=False)
        known = self.requests[start.request_api_key]
        return self.decode_frame(known, start.request_api_version, data)[:3]

    def decode_response(self, message, version, data):
        return self.decode_frame(self.classes[message], version, data)

    def decode_frame(self, known, version, data):
        item = known.decode(data, version=version, header=True)
        header = struct(type(item.header), item.header.version).to_json(item.header)
        value = struct(known, item.version).to_json(item)
        return header, value, None, None if item.version == version else item.version

    def encode_request(self, message, version, header, value):
        names = header["correlationId"], header["clientId"]
        return self.encode_frame(message, version, value, *names)

    def encode_response(self, message, version, header, value):
        return self.encode_frame(message, version, value, header["correlationId"])

    def encode_frame(self, message, version, value, *header):
        item = struct(self.classes[message], version).from_json(value)
        item.with_header(*header)
        return bytes(item.encode(header=True))
