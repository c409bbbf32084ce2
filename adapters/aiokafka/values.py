"""The values of aiokafka's messages as JSON: its fields by their place, under Kafka's names.

A struct inside of a message is a tuple, so there is no name in it to go by. names.toml has Kafka's
name of each field whose own is another than that in snake_case.
"""

import base64

from aiokafka.protocol.types import Array, Bytes, CompactBytes, Float64, Schema, TaggedFields

TAGS = "_unknownTaggedFields"
NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def text(data):
    return None if data is None else base64.b64encode(data).decode()


def data(text):
    return None if text is None else base64.b64decode(text)


CONVERSIONS = {  # the library's type: to JSON, from JSON. The ones not named here are JSON's own
    Bytes: (text, data),
    CompactBytes: (text, data),
    Float64: (lambda number: NOT_FINITE.get(str(number), number), float),
    TaggedFields: (
        lambda tags: [{"tag": tag, "bytes": text(value)} for tag, value in tags.items()],
        lambda tags: {each["tag"]: data(each["bytes"]) for each in tags},
    ),
}


def camel(name):
    head, *words = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in words)


class Fields:
    """How the fields of a schema, in their order, map to a JSON object and back."""

    def __init__(self, schema, names, place=""):
        self.fields, self.names = [], set()
        for own, kind in zip(schema.names, schema.fields, strict=True):
            name = TAGS if kind is TaggedFields else names.get(place + own, camel(own))
            name, _, inner = name.partition(".")  # inner: Kafka has a struct of one field there
            if name:
                convert = self.conversion(kind, names, f"{place}{own}.", inner)
                self.names.add(name)
            else:  # Kafka has no struct there, but its fields
                known = Fields(kind, names, f"{place}{own}.")
                convert = known.to_json, known.items
                self.names |= known.names
            self.fields.append((name, *convert))

    def conversion(self, kind, names, place, inner):
        if isinstance(kind, Array):
            read, write = self.conversion(kind.array_of, names, place, "")
            if inner:
                bare = with_null(lambda item: item[inner])
                return listed(lambda item: {inner: read(item)}, lambda item: write(bare(item)))
            return listed(read, write)
        if isinstance(kind, Schema):
            known = Fields(kind, names, place)
            return known.to_json, known.from_json
        return CONVERSIONS.get(kind, (lambda item: item, lambda item: item))

    def to_json(self, items):
        value = {}
        for (name, read, _), item in zip(self.fields, items, strict=True):
            if name != TAGS or item:
                value |= {name: read(item)} if name else read(item)
        return value

    def from_json(self, value):
        if value is None:
            return None  # whether a struct may be null is for the library to say
        if lacking := value.keys() - self.names:
            raise NotImplementedError(f"there is no {lacking}")
        return self.items({TAGS: []} | value)

    def items(self, value):
        return [write(value[name] if name else value) for name, _, write in self.fields]


def with_null(function):
    return lambda item: None if item is None else function(item)


def listed(read, write):
    def each(function):
        return with_null(lambda items: [function(item) for item in items])

    return each(read), each(write)
