"""`kafka-conformance explain`: frames from anywhere, in words that fit where they go."""

from __future__ import annotations

import base64
import json
import struct
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.explain import tls
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
    [
        FRAME,
        FRAME.hex().encode(),
        FRAME.hex(" ").encode() + b"\n",
        base64.b64encode(FRAME) + b"\n",
        FRAME.hex().encode("utf-16"),
    ],
    ids=["raw", "hex", "hex of a line", "base64", "UTF-16"],
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
    found = cli("explain", "0012", "--request", "--json")

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
    "a text": (("hello there",), "the input is neither hex nor base64"),
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


CUT = "0000005e0001000b000000010001780000"
NEWER = "00120009000000070001780006626c61636b02310000"
FETCH_AND_MORE = "000000010000000000000000000000010000"


def dumped(data: bytes) -> str:
    return "\n".join(
        f"{at:08x}: {data[at : at + 16].hex(' ', 2)}" for at in range(0, len(data), 16)
    )


@pytest.mark.parametrize(
    "words",
    [
        [dumped(WITH_LENGTH)],
        [repr(WITH_LENGTH)],
        [str(list(WITH_LENGTH))],
        WITH_LENGTH.hex(" ").split(),
        [f"new byte[] {{{', '.join(map(str, WITH_LENGTH))}}}"],
    ],
    ids=["xxd", "Python", "a list", "several words", "Java"],
)
def test_what_people_paste_is_read_from_arguments_and_from_standard_input(
    cli: Cli, words: list[str]
) -> None:
    want = cli("explain", WITH_LENGTH.hex()).out
    piped = subprocess.run(
        [*COMMAND, "explain"],
        input=" ".join(words),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert cli("explain", *words).out == want
    assert piped.stdout == want


ENDS = {
    "a frame that was cut": ((CUT,), 1, "the frame is cut: its length says 94 bytes, 13 are here"),
    "a frame without its length": ((FRAME.hex(),), 0, "taken for a frame without the 4 bytes of"),
    "frames": ((WITH_LENGTH.hex() * 2,), 0, "2 frames, one after another: 2 requests"),
    "a version newer than all": ((NEWER,), 3, "no stored definition has ApiVersionsRequest versi"),
    "that with its length": ((f"00000016{NEWER}",), 3, "only its header is read, and it is not ju"),
    "bytes left over": (
        (FETCH_AND_MORE, "--response", "--message", "Fetch", "--api-version", "0"),
        1,
        "left over: offset 8",
    ),
    "a body that refuses its version": (
        ("0023 00000000", "--body", "--message", "ApiVersionsResponse", "--api-version", "4"),
        0,
        "in answer to version 4 (KIP-511)",
    ),
    "responses one after another": (
        ("0000000600000001000000000006000000020019", "--response", "--message", "Heartbeat",
         "--api-version", "0"),
        0,
        "2 frames, one after another: 2 responses",
    ),
    "a response that was cut": (
        ("0000005e00000001000000010000000100093132372e302e302e31", "--response", "--message",
         "Metadata", "--api-version", "1"),
        1,
        "the frame is cut: its length says 94 bytes, 23 are here",
    ),
    "a key, by its own version": (
        ("0001000267310001740000002a", "--message", "OffsetCommitKey"),
        0,
        "OffsetCommitKey v0",
    ),
    "a value, by its own version": (
        ("0001 000000000000002a 0000 00000000000000000000000000000000", "--message",
         "OffsetCommitValue"),
        0,
        "OffsetCommitValue v1",
    ),
    "a key of another type": (
        ("000200026731", "--message", "OffsetCommitKey"),
        1,
        "OffsetCommitKey begins with 1, GroupMetadataKey with 2",
    ),
    "a value newer than all": (
        ("00630000", "--message", "OffsetCommitValue"),
        3,
        "no stored definition has OffsetCommitValue version 99",
    ),
    "a value behind its version, which is given": (
        ("0003000000000000002affffffff00000000018bcfe56800", "--body", "--message",
         "OffsetCommitValue", "--api-version", "3"),
        0,
        "version           int16   3",
    ),
    "a value without its version, which is given": (
        ("000000000000002affffffff00000000018bcfe56800", "--body", "--message",
         "OffsetCommitValue", "--api-version", "3"),
        0,
        "offset            int64   42",
    ),
    "a record of the metadata log": (
        ("01 02 00 027410101010101010101010101010101010 00", "--message", "TopicRecord"),
        0,
        "TopicRecord v0",
    ),
    "what is nothing of Kafka's": (("3798f95fc02687e84eaf1576d73d9e04",), 3, "tried as frames"),
    "that as a request": (
        ("3798f95fc02687e84eaf1576d73d9e04", "--request"), 1, "no request has api key 14232"
    ),
    "a token of SASL": (("0000000d00616c69636500736563726574",), 0, "a SASL token (PLAIN)"),
    "the text of HTTP": (("GET / HTTP/1.1",), 3, "begins like HTTP, which is not Kafka's"),
    "what is of TLS": (("16030100c8010000c403036f",), 3, "begins like TLS, which is not Kafka's"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "said"), ENDS.values(), ids=ENDS)
def test_what_was_pasted_is_said_and_decides_the_exit_code(
    cli: Cli, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ended = cli("explain", *arguments)

    assert ended.code == code, ended
    assert said in " ".join(ended.out.split()) or said in ended.out


def test_several_frames_are_one_array_that_says_which_is_which(cli: Cli) -> None:
    rows = json.loads(cli("explain", WITH_LENGTH.hex() * 2, "--json").out)

    assert "".join(row["bytes"] for row in rows) == WITH_LENGTH.hex() * 2
    assert {row["frame"] for row in rows} == {1, 2}
    assert rows[-1]["offset"] == 49


@pytest.mark.parametrize("release", ["", "3.9.2"])
@pytest.mark.parametrize("text", [CUT, NEWER, WITH_LENGTH.hex() * 2])
def test_no_line_is_wider_than_80_columns(cli: Cli, text: str, release: str) -> None:
    options = ("--release", release) if release else ()
    out = cli("explain", text, *options).out
    out += cli("explain", REFUSAL, "--response", "--message", "ApiVersions", "--api-version", 3).out

    assert [line for line in out.splitlines() if len(line) > 80] == []


def test_values_are_shown_as_json_shows_them(cli: Cli) -> None:
    body = ("--body", "--message", "MetadataRequest", "--api-version", 9)
    out = cli("explain", "00 01 00 00 00", *body).out

    assert "true" in out
    assert "null" in out
    assert not any(word in out for word in ("True", "False", "None"))


def test_the_help_names_what_says_its_version_itself(cli: Cli) -> None:
    told = cli("explain", "--help").out

    for name in ("RecordBatch", "ConsumerProtocolSubscription", "OffsetCommitValue", "hexdump"):
        assert name in told


@pytest.mark.parametrize("size", [33, 42, 50, 64, 79])
@pytest.mark.parametrize("dump", [["od", "-t", "x1"], ["od", "-x"], ["od", "-A", "d", "-t", "x1"]])
def test_a_dump_is_read_whatever_number_of_digits_its_offsets_have(tmp_path, size, dump):
    file = tmp_path / "frame.bin"
    file.write_bytes(bytes.fromhex("000300010000000100017800000001") + bytes(size - 15))
    text = subprocess.run([*dump, file], capture_output=True, text=True, check=True).stdout
    ended = CliRunner().invoke(main, ["explain"], input=text)
    assert "MetadataRequest v1" in ended.output


@pytest.mark.parametrize("text", ["", " \n"])
def test_no_bytes_at_all_are_one_clear_line(text):
    ended = CliRunner().invoke(main, ["explain"], input=text)
    assert ended.exit_code == 2
    assert "no bytes were given" in ended.output


def test_another_protocol_is_named_and_nothing_more_is_said():
    ended = CliRunner().invoke(main, ["explain", "GET / HTTP/1.1"])
    assert ended.output == "begins like HTTP, which is not Kafka's protocol\n"
    assert ended.exit_code == 3


HELLOS = {
    "a ClientHello": (
        "16030100c8010000c40303aabbccddeeff0011",
        "a handshake record in the form of TLS 1.0, 200 bytes: ClientHello",
    ),
    "application data": (
        "1703030020" + "aabbccdd" * 8,
        "a record of application data in the form of TLS 1.2, 32 bytes",
    ),
}


@pytest.mark.parametrize(("data", "record"), HELLOS.values(), ids=HELLOS)
def test_a_record_of_tls_is_named_and_how_to_see_what_it_holds(data, record):
    ended = CliRunner().invoke(main, ["explain", data])
    first, second, *rest = ended.output.splitlines()
    assert first == "begins like TLS, which is not Kafka's protocol"
    assert second == record
    assert " ".join(rest) == tls.INSIDE
    assert ended.exit_code == 3


def test_the_order_of_words_that_nothing_shows_is_the_one_that_kafka_has(cli: Cli) -> None:
    frame = bytes.fromhex("00000016 000c0000 00000008 000178 00026767 00000001 00016d")
    big = "0000000 " + " ".join(frame[at : at + 2].hex() for at in range(0, 16, 2))
    big += "\n0000020 " + " ".join(frame[at : at + 2].hex() for at in range(16, 26, 2))
    found = cli("explain", f"{big}\n0000032", "--json")

    assert "".join(row["bytes"] for row in json.loads(found.out)) == frame.hex()
