"""A whole adapter as a beginner writes it, right but for the one mistake that the argument names.

Without an argument it is right. It has its own loop over the lines, and a codec that knows some
small messages as lists of fields.
"""

import base64
import json
import os
import sys
import traceback

mistake = sys.argv[1] if len(sys.argv) > 1 else ""

KEYS = ("apiKey int16", "minVersion int16", "maxVersion int16")
MESSAGES = {
    ("MetadataRequest", 1): ["topics", "name string"],
    ("InitProducerIdRequest", 0): ["transactionalId string", "transactionTimeoutMs int32"],
    ("InitProducerIdResponse", 0): [
        "throttleTimeMs int32",
        "errorCode int16",
        "producerId int64",
        "producerEpoch int16",
    ],
    ("SaslAuthenticateRequest", 0): ["authBytes bytes"],
    ("GetTelemetrySubscriptionsRequest", 0): ["clientInstanceId uuid", "tags"],
    ("HeartbeatRequest", 0): ["groupId string", "generationId int32", "memberId string"],
    ("LeaveGroupRequest", 0): ["groupId string", "memberId string"],
    ("ApiVersionsResponse", 0): ["errorCode int16", "apiKeys", *KEYS],
}
VERSIONS = {name: [version, version] for name, version in MESSAGES}
OPS = ["roundtrip", "decode", "encode", "decode-request", "encode-request"]
HELLO = {
    "protocol": 1,
    "name": "beginner",
    "version": "1",
    "ops": OPS,
    "messages": VERSIONS,
    "window": 16,
}
REQUESTS = {3: "MetadataRequest", 12: "HeartbeatRequest", 22: "InitProducerIdRequest"}
REQUESTS |= {13: "LeaveGroupRequest"}
REQUESTS |= {36: "SaslAuthenticateRequest", 71: "GetTelemetrySubscriptionsRequest"}
API_KEYS = {name: key for key, name in REQUESTS.items()}


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, size):
        if size < 0 or self.at + size > len(self.data):
            raise ValueError(f"{size} bytes are due at {self.at}")
        self.at += size
        return self.data[self.at - size : self.at]

    def int(self, size):
        return int.from_bytes(self.take(size), "big", signed=True)

    def field(self, kind):
        if kind.startswith("int"):
            number = self.int(int(kind[3:]) // 8)
            if mistake == "doubles":
                return int(float(number))
            return str(number) if kind == "int64" and mistake in STRINGS else number
        if kind == "string":
            size = self.int(2)
            null = "" if mistake == "null-as-empty" else None
            return null if size == -1 else self.take(size).decode()
        if kind == "bytes":
            data = self.take(self.int(4))
            return (
                data.hex() if mistake == "value-bytes-as-hex" else base64.b64encode(data).decode()
            )
        data = self.take(16)
        if mistake == "uuid-with-dashes":
            return "-".join((data[:4].hex(), data[4:6].hex(), data[6:8].hex(), data[8:10].hex()))
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    def items(self, *fields):
        count = self.int(4)
        return None if count == -1 else [self.struct(fields) for _ in range(count)]

    def struct(self, fields):
        value = {}
        for position, field in enumerate(fields):
            name, _, kind = field.partition(" ")
            if name == "tags":
                self.take(1)
            elif not kind:
                value[name] = self.items(*fields[position + 1 :])
                break
            else:
                value[name] = self.field(kind)
        return value


STRINGS = ("int64-as-undeclared-string", "int64-answered-as-string")


def write_field(kind, given):
    if kind.startswith("int"):
        if kind == "int64" and mistake == "int64-as-undeclared-string":
            given = given.strip()  # which numbers have not
        given = int(given) if mistake in STRINGS else given
        return int.to_bytes(given, int(kind[3:]) // 8, "big", signed=True)
    if kind == "string":
        if given is None:
            return b"\xff\xff"
        return len(given.encode()).to_bytes(2, "big") + given.encode()
    if kind == "bytes":
        data = base64.b64decode(given)
        return len(data).to_bytes(4, "big") + data
    return base64.urlsafe_b64decode(given + "==")


def write_struct(fields, value):
    data = b""
    for position, field in enumerate(fields):
        name, _, kind = field.partition(" ")
        if name == "tags":
            data += b"\0"
        elif kind:
            data += write_field(kind, value[name])
        elif value[name] is None:
            return data + b"\xff\xff\xff\xff"
        else:
            rest = fields[position + 1 :]
            items = [write_struct(rest, item) for item in value[name]]
            return b"".join([data, len(items).to_bytes(4, "big"), *items])
    return data


def header_of(reader):
    names = ("requestApiKey", "requestApiVersion", "correlationId", "clientId")
    if mistake == "header-names":
        names = ("apiKey", "apiVersion", "correlationId", "clientId")
    header = dict(zip(names, map(reader.field, ("int16", "int16", "int32", "string")), strict=True))
    if header[names[0]] == 71:
        reader.take(1)
    return header


def snake(name):
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def perform(request):
    op = request["op"]
    reader = Reader(bytes.fromhex(request.get("bytes", "")))
    if mistake == "wants-frame-length" and op == "decode-request":
        reader.take(reader.int(4) - len(reader.data))
    answer = {}
    if op == "decode-request":
        header = answer["header"] = header_of(reader)
        key, version = list(header.values())[:2]
        fields = MESSAGES[REQUESTS[key], version]
    else:
        fields = MESSAGES[request["message"], request["version"]]
    value = request["value"] if op.startswith("encode") else reader.struct(fields)
    if op.startswith("decode"):
        return answer | decoded(value, len(reader.data) - reader.at)
    return {"bytes": encoded(request, write_struct(fields, value))}


def decoded(value, left):
    if mistake == "no-remaining":
        return {"value": value}
    if mistake == "snake-case":
        value = {snake(name): each for name, each in value.items()}
    if mistake == "wrapped-value":
        value = {"message": value}
    if mistake == "leaves-nulls-out":
        value = {name: each for name, each in value.items() if each is not None}
    if mistake == "leaves-empty-texts-out":
        value = {name: each for name, each in value.items() if each != ""}
    if mistake == "fields-of-all-versions" and "generationId" in value:
        value["groupInstanceId"] = ""
    if mistake == "fields-of-all-versions-at-their-defaults" and "generationId" in value:
        value["groupInstanceId"] = None
    if mistake == "no-place-for-a-field" and value.keys() == {"groupId", "memberId"}:
        del value["memberId"]
    return {"value": value, "remaining": 0 if mistake == "always-0-remaining" else left}


def encoded(request, data):
    op = request["op"]
    if op == "encode-request":
        numbers = (API_KEYS[request["message"]], request["version"])
        client = request["header"]["clientId"]
        kinds = ("int16", "int16", "int32", "string")
        given = (*numbers, request["header"]["correlationId"], client)
        data = b"".join([*map(write_field, kinds, given), b"\0" * (numbers[0] == 71), data])
    if mistake == "frame-length" and op == "encode-request":
        data = len(data).to_bytes(4, "big") + data
    if mistake == "body-length" and op == "encode":
        data = len(data).to_bytes(4, "big") + data
    if mistake == "upper-case-hex":
        return data.hex().upper()
    return base64.b64encode(data).decode() if mistake == "base64-bytes" else data.hex()


def answer_to(request):
    if request["op"] == "hello":
        return hello()
    if request["op"] not in OPS:
        if mistake == "dies-of-unknown-op":
            raise KeyError(request["op"])
        return {"id": request["id"], "unsupported": "no such op"}
    if mistake == "stack-trace-for-unknown-keys" and request.keys() & {"x-unknown"}:
        raise TypeError("unexpected keyword argument")
    if mistake == "prints-debug":
        print("decoding", request.get("message"))
    answer = {"id": request["id"]}
    if mistake == "id-as-string":
        answer["id"] = str(request["id"])
    if mistake == "no-id":
        answer = {}
    try:
        return answer | perform(request)
    except Exception as error:
        return answer | rejected(error)


def rejected(error):
    if mistake == "exits-on-rejected":
        print("ValueError: cut short", file=sys.stderr)
        os._exit(1)
    if mistake == "traceback-as-answer":
        traceback.print_exc(file=sys.stdout)
    if mistake == "rejects-with-true":
        return {"rejected": True}
    if mistake == "empty-value-on-error":
        return {"value": {}, "remaining": 0, "bytes": ""}
    return {"rejected": str(error), "error": type(error).__name__}


def hello():
    return {
        **HELLO,
        **{
            "no-messages": {"messages": {}},
            "protocol-2": {"protocol": 2},
            "api-names": {"messages": {"Metadata": [1, 1]}},
            "misspelt-names": {"messages": {"MetadataRequst": [1, 1]}},
            "reversed-range": {"messages": {"MetadataRequest": [4, 1]}},
            "declares-too-much": {"messages": {**VERSIONS, "MetadataRequest": [1, 4]}},
            "window-0": {"window": 0},
            "window-of-a-million": {"window": 1_000_000},
            "takes-one-line-a-read": {"window": 64},
            "underscored-op": {"ops": ["decode_request"]},
        }.get(mistake, {}),
    }


def write(answer):
    if mistake == "no-newline":
        print(json.dumps(answer), end="", flush=True)
    else:
        # a pipe's stdout is buffered in full, unless it is flushed
        print(json.dumps(answer), flush=mistake != "no-flush")


def lines():
    if mistake == "reads-to-the-end":
        yield from sys.stdin.read().splitlines()
    elif mistake == "takes-one-line-a-read":
        while chunk := os.read(0, 64 * 1024 * 1024):
            yield chunk.split(b"\n")[0]
    elif mistake == "64-kib-lines":
        while line := sys.stdin.buffer.readline():
            if len(line) > 65536:
                sys.exit("bufio.Scanner: token too long")
            yield line
    elif mistake == "splits-at-unicode-lines":
        for line in sys.stdin.buffer:
            yield from line.decode().splitlines()
    else:
        yield from sys.stdin.buffer


def main():
    if mistake == "no-flush":  # also where PYTHONUNBUFFERED is set
        sys.stdout = os.fdopen(1, "w", 65536)
    if mistake == "prints-banner":
        print("adapter ready", flush=True)
    kept = []
    for line in lines():
        request = json.loads(line)
        if mistake == "out-of-order" and len(line) > 50_000:
            kept.append(request)  # as a pool of workers: the long one is done last
            continue
        write(answer_to(request))
        while kept:
            write(answer_to(kept.pop()))
    if mistake == "stays":
        while True:
            os.read(0, 1) or __import__("time").sleep(0.1)
    if mistake == "exits-with-1":
        sys.exit(1)


main()
