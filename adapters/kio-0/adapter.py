"""kio up to 0.4: readers of streams, in Python. Round trips, and from 0.3 on values to write."""

import io
from importlib.metadata import version as installed_version

from kio.index import load_entity_schema
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer
from kio.static.constants import EntityType

try:
    import values
except ModuleNotFoundError:  # kio 0.2 has not what it says of defaults
    OPS = ["roundtrip"]
else:
    OPS = ["roundtrip", "encode"]
DEFINITIONS = {"0.2.0": "3.7.0"}  # the Kafka whose messages a kio has, where it isn't 3.9


class Codec:
    def __init__(self):
        self.index = {}  # message -> version -> what kio's index calls it
        for name, versions in schema_name_map.items():
            for version, paths in versions.items():
                for kind in paths.keys() - {EntityType.header}:
                    known = self.index.setdefault(paths[kind].partition(":")[2], {})
                    known[version] = (name, version, kind)

    def hello(self):
        messages = {
            name: {"versions": [[min(known), max(known)]], "ops": OPS}
            for name, known in self.index.items()
        }
        version = installed_version("kio")
        release = DEFINITIONS.get(version, "3.9.0")
        about = {"name": "kio", "version": version, "definitions": release}
        return about | {"ops": OPS, "messages": messages, "window": 64, "defaults": "encode" in OPS}

    def roundtrip(self, message, version, data):
        schema = load_entity_schema(*self.index[message][version])
        item = entity_reader(schema)(io.BytesIO(data))
        buffer = io.BytesIO()
        try:
            entity_writer(schema)(buffer, item)
        except Exception as error:
            error.stage = "encode"
            raise
        return buffer.getvalue()

    def encode(self, message, version, value):
        schema = load_entity_schema(*self.index[message][version])
        buffer = io.BytesIO()
        entity_writer(schema)(buffer, values.Entity(schema).from_json(value))
        return buffer.getvalue()
