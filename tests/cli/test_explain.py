"""`kafka-conformance explain`: frames from anywhere, in words that fit where they go."""

from __future__ import annotations

import base64
import json
import struct
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, Cli, environment
from tests.cli.test_terminal import on_a_terminal

FRAME = bytes.fromhex("00120003 00000007 000178 00 06626c61636b 0231 00")
WITH_LENGTH = struct.pack(">i", len(FRAME)) + FRAME
REFUSAL = "00000007 0023 00000000"
BODY = ("--body", "--message", "ApiVersionsRequest", "--api-version", 3)


def test_hex_base64_and_their_blanks_are_the_same_bytes(cli: Cli) -> None:
    spaced = FRAME.hex(" ").upper()
    texts = [FRAME.hex(), spaced, f"0x{FRAME.hex()}", FRAME.hex(":")]
    outs = {cli("explain", text).out for text in (*texts, base64.b64encode(FRAME).decode())}

    [out] = outs
    assert out.startswith("ApiVersionsRequest v3, RequestHeader v2, 21 bytes")
    assert "18 ApiVersions" in out


@pytest.mark.parametrize(
    "content",
    [FRAME, FRAME.hex().encode(), FRAME.hex(" ").encode() + b"\n", base64.b64encode(FRAME) + b"\n"],
    ids=["raw", "hex", "hex of a line", "base64"],
)
def test_a_file_and_standard_input_hold_bytes_or_their_text(
    cli: Cli, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "a frame"
    file.write_bytes(content)
    piped = subprocess.run(
        [*COMMAND, "explain", "-"],
        input=content,
        env=environment(),
        capture_output=True,
        timeout=60,
        check=True,
    )

    want = cli("explain", FRAME.hex()).out
    assert cli("explain", f"@{file}").out == want
    assert piped.stdout.decode() == want


def test_the_length_is_looked_for_and_can_be_forced(cli: Cli) -> None:
    assert "frame(length)" in cli("explain", WITH_LENGTH.hex()).out
    assert "frame(length)" not in cli("explain", FRAME.hex()).out
    assert cli("explain", WITH_LENGTH.hex(), "--no-length").code == 3

    longer = cli("explain", WITH_LENGTH.hex() + "aabb", "--length")
    assert longer.code == 1
    assert "left over: offset 25, message: behind the frame" in longer.out


def test_a_malformed_frame_is_shown_up_to_the_byte_that_is_wrong(cli: Cli) -> None:
    found = cli("explain", FRAME[:-3].hex() + "ff")

    assert found.code == 1
    [*_, rest, last] = found.out.splitlines()
    assert "WRONG: 1 bytes expected, 0 left" in rest
    assert last.startswith("malformed: offset 19, clientSoftwareVersion(length): ")


def test_json_is_an_array_that_holds_every_byte(cli: Cli) -> None:
    found = cli("explain", WITH_LENGTH.hex(), "--json")
    rows = json.loads(found.out)

    assert "".join(row["bytes"] for row in rows) == WITH_LENGTH.hex()
    assert rows[1] == {
        "offset": 4,
        "bytes": "0012",
        "path": "header.requestApiKey",
        "type": "int16",
        "value": 18,
        "text": "18 ApiVersions",
        "state": "read",
        "says": "",
    }


def test_json_of_a_malformed_frame_is_json_too(cli: Cli) -> None:
    found = cli("explain", "0012", "--json")

    assert found.code == 1
    assert [row["state"] for row in json.loads(found.out)] == ["read", "wrong"]


def test_a_refused_version_is_named(cli: Cli) -> None:
    found = cli("explain", REFUSAL, "--response", "--message", "ApiVersions", "--api-version", 3)

    assert found.code == 0
    assert "in answer to version 3 (KIP-511)" in found.out


def test_lenient_says_what_it_forgave(cli: Cli) -> None:
    strict, lenient = (
        cli("explain", "8200 61 0261 00", *BODY, *how) for how in ((), ("--lenient",))
    )

    assert (strict.code, lenient.code) == (1, 0)
    why = "offset 0, clientSoftwareName(length): a varint longer than it need be"
    assert f"malformed: {why}" in strict.out
    assert f"forgiven: {why}" in lenient.out


def test_the_definitions_are_those_of_the_release_asked_for(cli: Cli) -> None:
    assert "of Kafka 3.9.2" in cli("explain", FRAME.hex(), "--release", "3.9.2").out


def test_long_values_are_cut_short_unless_all_is_asked_for(cli: Cli) -> None:
    frame = struct.pack(">h", 500) + b"x" * 500
    body = ("--body", "--message", "FindCoordinatorRequest", "--api-version", 0)

    cut, full = cli("explain", frame.hex(), *body), cli("explain", frame.hex(), *body, "--full")
    assert "and 436 bytes more" in cut.out
    assert "x" * 500 in full.out
    assert full.out.count("78") == 500


def test_no_escape_codes_where_it_is_piped(cli: Cli) -> None:
    hostile = cli("explain", b"\x05\x1b[2J\x03\xc2\x9b\x00".hex(), *BODY)

    assert hostile.code == 0
    assert "\x1b" not in hostile.out
    assert "\\u001b[2J" in hostile.out
    assert "\x9b" not in hostile.out


def test_a_table_in_colours_on_a_terminal() -> None:
    shown = on_a_terminal("explain", FRAME[:-1].hex())

    assert "\x1b[" in shown
    for word in ("offset", "header.requestApiKey", "18 ApiVersions", "malformed: offset 20"):
        assert word in shown


MISTAKES = {
    "neither hex nor base64": (("zz",), "the input is neither hex nor base64"),
    "half a byte": (("012",), "the input is no hex: an odd number of digits"),
    "no file": (("@not-there",), "not-there: No such file or directory"),
    "no message": (("00", "--body", "--message", "No", "--api-version", 1), "no message 'No'"),
    "no version": (("00", *BODY[:-1], 99), "no release of Kafka has ApiVersionsRequest version 99"),
    "no release": (("00", "--release", "0.1"), "the definitions of Kafka 0.1 are not stored"),
    "a request as a response": (
        ("00", "--response", "--message", "FetchRequest", "--api-version", 4),
        "FetchRequest is no response",
    ),
}


@pytest.mark.parametrize(("arguments", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_told_in_one_line(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    ended = cli("explain", *arguments)

    assert ended.code in (2, 3)
    assert ended.error.startswith(said)


@pytest.mark.parametrize(
    "arguments", [("--response",), ("--body", "--api-version", 1), ("--message", "Fetch")]
)
def test_what_is_no_request_must_be_named(cli: Cli, arguments: tuple[str, ...]) -> None:
    ended = cli("explain", "00", *arguments)

    assert ended.code == 2
    assert "give --message NAME and --api-version N, both" in ended.err
