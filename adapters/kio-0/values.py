"""Values for kio's dataclasses, of JSON. What its types can't hold is unsupported.

Its field names are the definitions' in snake_case, and a field that it gives a time type loses its
"Ms". Times are timedelta and datetime objects, error codes an enum, arrays tuples.
"""

import base64
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from uuid import UUID

from kio.schema.errors import ErrorCode
from kio.serial._implicit_defaults import get_tagged_field_default
from kio.serial._introspect import classify_field, is_optional

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MS = timedelta(milliseconds=1)
FROM_JSON = {  # by kio's type, its width left out; all others are JSON's own
    "bytes": base64.b64decode,
    "records": base64.b64decode,
    "error_code": ErrorCode,
    "timedelta": lambda ms: ms * MS,
    "datetime": lambda ms: EPOCH + ms * MS,
    "float64": float,
    "uuid": lambda text: UUID(bytes=base64.urlsafe_b64decode(text + "==")),
}


def json_name(field):
    head, *words = field.name.split("_")
    unit = ["Ms"] if field.metadata.get("kafka_type", "").startswith(("time", "date")) else []
    return head + "".join(word[:1].upper() + word[1:] for word in words + unit)


def conversion(field):
    kind, shape = field.metadata.get("kafka_type", "").partition("_i")[0], classify_field(field)
    write = FROM_JSON.get(kind, lambda item: item)
    if is_dataclass(shape.type_):
        write = Entity(shape.type_).from_json
    # kio's None is JSON's null, except where kio takes one of Kafka's ordinary values for it
    null = {"uuid": "A" * 22, "datetime": -1 if is_optional(field) else None}.get(kind)

    def one(item):
        return None if item is None or item == null else write(item)

    def all_of(items):
        return None if items is None else tuple(map(one, items))

    return all_of if shape.is_array else one


@cache
class Entity:  # how a JSON object becomes one of kio's dataclasses
    def __init__(self, schema):
        self.schema = schema
        self.fields = {json_name(f): (f.name, conversion(f)) for f in fields(schema)}
        # A struct as a tagged field: kio's constructor has no default for it, though kio has one.
        tagged = [f for f in fields(schema) if "tag" in f.metadata and f.default is MISSING]
        self.absent = {f.name: get_tagged_field_default(f) for f in tagged}

    def from_json(self, value):
        if lacking := value.keys() - self.fields.keys():
            raise NotImplementedError(f"{self.schema.__name__} of this version has no {lacking}")
        try:
            own = {self.fields[n][0]: self.fields[n][1](item) for n, item in value.items()}
            return self.schema(**self.absent | own)
        except (ValueError, OverflowError, TypeError) as error:  # or a field without a default
            raise NotImplementedError(f"kio's types can't hold it: {error}") from error
