"""kafka-python up to 2.x: a class for each version of a message, written by hand.

Bytes in, bytes out: no value is mapped. Unknown tagged fields stay in a struct that was read, and
are written again with it.
"""

import importlib
import pkgutil
from importlib.metadata import version as installed_version

from kafka import protocol
from kafka.protocol.api import Request, Response

RENAMED = {
    "ApiVersion": "ApiVersions",
    "GroupCoordinator": "FindCoordinator",
    "Offset": "ListOffsets",
    "SaslHandShake": "SaslHandshake",
}


class Codec:
    def __init__(self):
        self.classes = {}  # message -> version -> class
        for module in pkgutil.iter_modules(protocol.__path__):
            for found in vars(importlib.import_module(f"kafka.protocol.{module.name}")).values():
                name, _, version = getattr(found, "__name__", "").rpartition("_v")
                if name and isinstance(found, type) and issubclass(found, Request | Response):
                    kind = "Request" if issubclass(found, Request) else "Response"
                    own = name.removesuffix(kind)
                    known = self.classes.setdefault(RENAMED.get(own, own) + kind, {})
                    known[int(version)] = found

    def hello(self):
        return {
            "name": "kafka-python",
            "version": installed_version("kafka-python"),
            "definitions": "3.9.2",
            "ops": ["roundtrip"],
            "messages": {
                name: {"versions": [[version, version] for version in sorted(known)]}
                for name, known in self.classes.items()
            },
            "unknownTags": "kept",
            "window": 64,
        }

    def roundtrip(self, message, version, data):
        item = self.classes[message][version].decode(data)
        try:
            return item.encode()
        except Exception as error:
            error.stage = "encode"
            raise
