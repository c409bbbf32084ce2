"""aiokafka: a class for each version of a message, with a schema written by hand.

Offered are the requests that its client sends, chosen as `Request.prepare` chooses them, and the
responses in the classes that it reads the answers with. It has no readers of requests' headers and
no writers of responses'. Where it has two classes of a message (FindCoordinator up to 0.12), round
trips go by the first of them. Unknown tagged fields stay in a struct that was read.
"""

import importlib
import io
import pkgutil
import tomllib
from importlib.metadata import version as installed_version
from pathlib import Path

from aiokafka import protocol
from aiokafka.protocol.api import Request
from values import Fields

OPS = "roundtrip decode encode encode-request decode-response"
RENAMED = {
    "ApiVersion": "ApiVersions",
    "GroupCoordinator": "FindCoordinator",
    "Offset": "ListOffsets",
    "SaslHandShake": "SaslHandshake",
}
NAMES = tomllib.loads(Path(__file__).with_name("names.toml").read_text("utf-8"))


class Codec:
    def __init__(self):
        self.requests, self.first, self.fields = {}, {}, {}  # by message and version
        for module in pkgutil.iter_modules(protocol.__path__):
            found = vars(importlib.import_module(f"aiokafka.protocol.{module.name}")).values()
            for kind in found:
                if isinstance(kind, type) and issubclass(kind, Request) and kind is not Request:
                    self.add(kind)

    def add(self, kind):
        own = kind.__name__.partition("_v")[0].removesuffix("Request")
        name = RENAMED.get(own, own)
        classes = getattr(kind, "_CLASSES", [kind])  # up to 0.12 a class is of one version
        whole = [known for known in classes if isinstance(known.RESPONSE_TYPE, type)]  # not a base
        sent = {known.API_VERSION: known for known in whole}  # of two of a version the later one
        for message in (name + "Request", name + "Response") if sent else ():
            self.requests.setdefault(message, {}).update(sent)
            self.first[message] = sent | self.first.get(message, {})

    def hello(self):
        messages = {
            name: {"versions": [[version, version] for version in sorted(known)]}
            for name, known in self.requests.items()
        }
        about = {"name": "aiokafka", "version": installed_version("aiokafka"), "window": 64}
        codec = {"definitions": "3.9.2", "unknownTags": "kept", "ops": OPS.split()}
        return about | codec | {"messages": messages}

    def kind(self, message, known):
        return known if message.endswith("Request") else known.RESPONSE_TYPE

    def known(self, message, version):
        """The library's class, and the fields of it."""
        known = self.kind(message, self.requests[message][version])
        if (message, version) not in self.fields:
            self.fields[message, version] = Fields(known.SCHEMA, NAMES.get(message, {}))
        return known, self.fields[message, version]

    def read(self, message, version, stream):
        known, fields = self.known(message, version)
        item = known.decode(stream)
        value = fields.to_json([item.get_item(name) for name in known.SCHEMA.names])
        return value, len(stream.getbuffer()) - stream.tell()

    def item(self, message, version, value):
        known, fields = self.known(message, version)
        return known(*fields.from_json(value))

    def roundtrip(self, message, version, data):
        item = self.kind(message, self.first[message][version]).decode(data)
        try:
            return item.encode()
        except Exception as error:
            error.stage = "encode"
            raise

    def decode(self, message, version, data):
        return self.read(message, version, io.BytesIO(data))

    def encode(self, message, version, value):
        item = self.item(message, version, value)  # kept: an encode() of old ones does not
        return item.encode()

    def encode_request(self, message, version, header, value):
        item = self.item(message, version, value)
        names = header["correlationId"], header["clientId"]
        head = item.build_request_header(*names)
        return head.encode() + item.encode()

    def decode_response(self, message, version, data):
        known, stream = self.requests[message][version], io.BytesIO(data)
        header = known.parse_response_header(known, stream)
        names = header.SCHEMA.names
        value = Fields(header.SCHEMA, {}).to_json([header.get_item(name) for name in names])
        return value, *self.read(message, version, stream)
