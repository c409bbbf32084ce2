"""Smoke names each mistake of a beginner's adapter, by the check that fails and by its remedy."""

from __future__ import annotations

import pytest

from conformance.codecs.testee import testee as testee_module
from conformance.codecs.testee.smoke import Check, refused, smoke
from conformance.codecs.testee.testee import Testee
from conformance.targets.errors import TargetError
from tests.codecs.testee.conftest import wrong_command

DECODE = "decode of a known message"
ENCODE = "encode of a known message"
ROUNDTRIP = "roundtrip of a known message"
DECODE_REQUEST = "decode-request of a known message"
ENCODE_REQUEST = "encode-request of a known message"
NAMES = "messages have the definitions' names"
CUT = "a message cut short is rejected"
HELD = "values hold the fields of their version"
REMAINING = "remaining is counted"
UNKNOWN_OP = "an unknown op is unsupported"
UNKNOWN_KEYS = "unknown keys are ignored"
TEXT = "a line is UTF-8 up to its \\n"
LONG = "a line of 16 MiB is read"
ORDER = "answers keep the order and the ids of requests"
END = "the end of stdin ends it with status 0"

MISTAKES = [
    # hello
    ("no-flush", "hello", "answered only when its stdin ended", "flush stdout"),
    ("no-newline", "hello", "without its newline", "end each answer with \\n"),
    ("reads-to-the-end", "hello", "answered only when its stdin ended", "line by line"),
    ("prints-banner", "hello", "'adapter ready'", "write logs to stderr"),
    ("no-messages", "hello", "`messages` of hello", '"messages":{"MetadataRequest":[0,13]}'),
    ("protocol-2", "hello", "protocol 2", 'answer "protocol":1'),
    ("reversed-range", "hello", "MetadataRequest in hello are [4, 1]", "[low, high]: [1, 4]"),
    ("window-0", "hello", "`window` of hello is 0", "1 at least"),
    ("underscored-op", "hello", "'decode_request'", "did you mean 'decode-request'"),
    ("api-names", NAMES, "Metadata", "MetadataRequest and MetadataResponse"),
    ("misspelt-names", NAMES, "MetadataRequst", "did you mean 'MetadataRequest'"),
    # lines
    ("prints-debug", ROUNDTRIP, "'decoding MetadataRequest'", "write prints, logs"),
    ("id-as-string", ROUNDTRIP, "$.id", "a JSON integer, into its answer"),
    ("no-id", ROUNDTRIP, "no `id`", "copy the request's `id`"),
    ("dies-of-unknown-op", UNKNOWN_OP, "exited with status 1", '"unsupported":"text"'),
    ("stack-trace-for-unknown-keys", UNKNOWN_KEYS, "exited with status 1", "and no others"),
    ("splits-at-unicode-lines", TEXT, "exited with status 1", "end a line at \\n only"),
    ("64-kib-lines", LONG, "token too long", "16 MiB"),
    ("out-of-order", ORDER, "is due", "in the order in which they came"),
    ("takes-one-line-a-read", ORDER, "no answer", '"window":64 lets 64 requests come at once'),
    ("stays", END, "still runs", "leave the loop at the end of stdin"),
    ("exits-with-1", END, "status 1", "exit with 0"),
    # bytes
    ("upper-case-hex", ROUNDTRIP, "not lower-case hex", "hex in lower case"),
    ("base64-bytes", ROUNDTRIP, "hex", "base64 is for values"),
    ("body-length", ENCODE, "begins with its length", "leave out the 4-byte length"),
    ("frame-length", ENCODE_REQUEST, "begins with its length", "leave out the 4-byte length"),
    ("wants-frame-length", DECODE_REQUEST, "rejected", "leave out the 4-byte length"),
    # values
    ("no-remaining", DECODE, "needs `remaining`", "null where nobody can tell"),
    ("always-0-remaining", REMAINING, "remaining is 0", "count the bytes"),
    ("snake-case", DECODE, "group_id is there", "lowerCamelCase: groupId"),
    ("leaves-nulls-out", DECODE, "topics is missing", "every field of the version is due"),
    ("wrapped-value", DECODE, "deeper in", "with nothing around it"),
    ("fields-of-all-versions", HELD, "HeartbeatRequest v0: groupInstanceId", "leave out what"),
    ("leaves-empty-texts-out", HELD, "HeartbeatRequest v0: groupId is missing", "default too"),
    ("null-as-empty", DECODE, 'transactionalId is ""', "null as null"),
    ("int64-as-undeclared-string", ENCODE, "AttributeError", '"int64":"string"'),
    ("doubles", DECODE, "producerId is 9007199254740992", '"int64":"string"'),
    ("value-bytes-as-hex", DECODE, 'authBytes is "fbfffe00"', "base64 with + and / and padding"),
    ("uuid-with-dashes", DECODE, 'clientInstanceId is "fbfffe00-', "url-safe base64"),
    ("header-names", DECODE_REQUEST, "header.requestApiKey", "RequestHeader"),
    # refusals
    ("exits-on-rejected", CUT, "exited with status 1", '"rejected":"text"'),
    ("traceback-as-answer", CUT, "Traceback", "tracebacks to stderr"),
    ("rejects-with-true", CUT, "$.rejected", "the error's text"),
    ("empty-value-on-error", CUT, "value", '"rejected":"text"'),
    ("declares-too-much", ROUNDTRIP, "MetadataRequest v4", "declare less"),
]


def checks_of(mistake: str, timeout_s: float = 5.0) -> list[Check]:
    try:
        testee = Testee(
            wrong_command("beginner", mistake), timeout_s=timeout_s, startup_timeout_s=timeout_s
        )
    except TargetError as error:
        return [refused(error)]
    with testee:
        return list(smoke(testee))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch, nothing_stays: None) -> None:
    monkeypatch.setattr("conformance.codecs.testee.line_checks._END_S", 1.0)
    monkeypatch.setattr(testee_module, "CLOSE_GRACE_S", 1.0)


@pytest.mark.parametrize("harmless", ["", "fields-of-all-versions-at-their-defaults"])
def test_without_a_mistake_every_check_passes(harmless: str) -> None:
    checks = checks_of(harmless)
    assert checks
    assert [check for check in checks if check.state != "ok"] == []


@pytest.mark.parametrize(("mistake", "failed", "found", "remedy"), MISTAKES)
def test_a_mistake_is_named_with_its_remedy(
    mistake: str, failed: str, found: str, remedy: str
) -> None:
    silent = mistake in ("no-flush", "no-newline", "reads-to-the-end", "takes-one-line-a-read")
    checks = checks_of(mistake, timeout_s=2.0 if silent else 5.0)
    [check] = [check for check in checks if check.name == failed]
    assert check.state == "failed"
    assert found in check.detail
    assert remedy in check.remedy


@pytest.mark.parametrize(
    ("mistake", "noted", "remedy"),
    [
        ("window-of-a-million", "window", "no more than 1024"),
        ("no-place-for-a-field", HELD, "put every field of the version into the value"),
        ("int64-answered-as-string", "64-bit integers as declared", '"int64":"string"'),
    ],
)
def test_what_is_allowed_but_odd_is_a_note(mistake: str, noted: str, remedy: str) -> None:
    checks = checks_of(mistake)
    assert all(check.ok for check in checks)
    [note] = [check for check in checks if check.state == "note"]
    assert note.name == noted
    assert remedy in note.remedy
