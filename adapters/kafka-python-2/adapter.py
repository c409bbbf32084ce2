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


def message(name):  # by the class's name: some releases have a response that is a Request
    kind = "Response" if name.endswith("Response") else "Request"
    own = name.removesuffix(kind)
    return RENAMED.get(own, own) + kind


class Codec:
    def __init__(self):
        self.classes = {}  # message -> version -> class
        for module in pkgutil.iter_modules(protocol.__path__):
            for found in vars(importlib.import_module(f"kafka.protocol.{module.name}")).values():
                name, _, version = getattr(found, "__name__", "").rpartition("_v")
                if name and isinstance(found, type) and issubclass(found, Request | Response):
                    known = self.classes.setdefault(message(name), {})
                    known[int(version)] = found

    def hello(self):
        return {
            "name": "kafka-python",
            "version": installed_version("kafka-python"),
            "definitions": "3.9.2",
            "ops": ["roundtrip"],
            "messages": {
                name: {
                    "versions": [[version, version] for version in sorted(known)],
                    "ops": ["roundtrip"],
                }
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
