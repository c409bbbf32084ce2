"""Small codecs, one right and each other wrong in one way, to be served as `small_codecs:Name`.

They know MetadataRequest 0 and 1 and ApiVersionsResponse 0, by hand.
"""

import struct
import sys


class Right:
    ops = ("roundtrip", "decode", "encode", "decode-request", "encode-request", "decode-response")

    def hello(self):
        return {
            "name": "right",
            "version": "1",
            "ops": list(self.ops),
            "messages": {"MetadataRequest": [0, 1], "ApiVersionsResponse": [0, 0]},
            "window": 4,
        }

    def decode(self, message, version, data):
        if message == "MetadataRequest":
            [count] = struct.unpack_from(">i", data)
            if count == -1:
                return {"topics": None}, len(data) - 4
            count, length = struct.unpack_from(">ih", data)
            assert count == 1
            assert len(data) >= 6 + length
            return {"topics": [{"name": data[6 : 6 + length].decode()}]}, len(data) - 6 - length
        names = ("apiKey", "minVersion", "maxVersion")
        error, count, *key = struct.unpack_from(">hi3h", data)
        keys = [dict(zip(names, key, strict=True))][:count]
        return {"errorCode": error, "apiKeys": keys}, len(data) - 12

    def encode(self, message, version, value):
        if message == "MetadataRequest":
            if value["topics"] is None:
                return struct.pack(">i", -1)
            name = value["topics"][0]["name"].encode()
            return struct.pack(">ih", 1, len(name)) + name
        [key] = value["apiKeys"]
        return struct.pack(">hi3h", value["errorCode"], 1, *key.values())

    def roundtrip(self, message, version, data):
        return self.encode(message, version, self.decode(message, version, data)[0])

    def decode_request(self, data):
        key, version, correlation_id, length = struct.unpack_from(">hhih", data)
        header = {
            "requestApiKey": key,
            "requestApiVersion": version,
            "correlationId": correlation_id,
            "clientId": data[10 : 10 + length].decode(),
        }
        return header, *self.decode("MetadataRequest", version, data[10 + length :])

    def encode_request(self, message, version, header, value):
        client_id = header["clientId"].encode()
        start = struct.pack(">hhih", 3, version, header["correlationId"], len(client_id))
        return start + client_id + self.encode(message, version, value)

    def decode_response(self, message, version, data):
        header = {"correlationId": struct.unpack_from(">i", data)[0]}
        return header, *self.decode(message, version, data[4:])


class AcceptsCutMessages(Right):
    def decode(self, message, version, data):
        return {"topics": [{"name": "a"}]}, 0


class SnakeCase(Right):
    def decode(self, message, version, data):
        value, remaining = super().decode(message, version, data)
        return {name.capitalize(): each for name, each in value.items()}, remaining


class WithLength(Right):
    def encode(self, message, version, value):
        data = super().encode(message, version, value)
        return struct.pack(">i", len(data)) + data


class HeaderNames(Right):
    def decode_request(self, data):
        header, *rest = super().decode_request(data)
        return {"correlation_id": header["correlationId"]}, *rest


class ReadsTooLittle(Right):
    def decode(self, message, version, data):
        value, _ = super().decode(message, version, data)
        return value, 1


class DeclaresTooMuch(Right):
    ops = (*Right.ops, "encode-response")


class DiesOfCutMessages(Right):
    def decode(self, message, version, data):
        try:
            return super().decode(message, version, data)
        except Exception:
            sys.stderr.write("index out of range\n")
            sys.stderr.flush()
            import os

            os._exit(134)


class Broken:
    def __init__(self):
        raise OSError("no such library")


class Unusual:
    """Knows the ControlledShutdown messages alone, which nobody worked out by hand."""

    ops = ("decode", "encode")

    def hello(self):
        messages = {"ControlledShutdownRequest": [1, 1], "ListGroupsRequest": [0, 0]}
        return {"name": "unusual", "version": "1", "ops": list(self.ops), "messages": messages}

    def decode(self, message, version, data):
        [broker] = struct.unpack_from(">i", data)
        return {"brokerId": broker}, len(data) - 4

    def encode(self, message, version, value):
        return struct.pack(">i", value["brokerId"])


class UnusualInSnakeCase(Unusual):
    def decode(self, message, version, data):
        value, remaining = super().decode(message, version, data)
        return {"broker_id": value["brokerId"]}, remaining


class TypesAlone:
    """Has no message, but the types BOOLEAN and INT16."""

    ops = ("decode", "encode")

    def __init__(self):
        self.types = {0: ("boolean", ">?"), 2: ("int16", ">h")}

    def hello(self):
        messages = {"Primitives": {"versions": [[0, 0], [2, 2]], "ops": list(self.ops)}}
        return {"name": "types", "version": "1", "ops": list(self.ops), "messages": messages}

    def decode(self, message, version, data):
        name, layout = self.types[version]
        return {name: struct.unpack_from(layout, data)[0]}, len(data) - struct.calcsize(layout)

    def encode(self, message, version, value):
        name, layout = self.types[version]
        return struct.pack(layout, value[name])


class NoValues(TypesAlone):
    """Reads a number that no field holds, and a string that UTF-8 can't express."""

    def __init__(self):
        self.types = {2: ("int16", ">h"), 9: ("string", "")}

    def hello(self):
        messages = {"Primitives": {"versions": [[2, 2], [9, 9]], "ops": ["decode"]}}
        return {**super().hello(), "ops": ["decode"], "messages": messages}

    def decode(self, message, version, data):
        if version == 9:
            return {"string": "\ud800"}, -len(data)
        return {"int16": -(2**69)}, 2 * len(data)
