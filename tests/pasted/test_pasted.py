"""Any bytes come back from any form of text that people paste."""

from __future__ import annotations

import base64
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from conformance.pasted import Piece, raw, read

SOME = st.binary(min_size=1, max_size=70)
FRAME = bytes.fromhex("0000001500120003000000070001780006626c61636b023100")


def lines(data: bytes, width: int = 16) -> Iterable[tuple[int, bytes]]:
    return [(at, data[at : at + width]) for at in range(0, len(data), width)]


def shown(data: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)


def groups(data: bytes, size: int) -> str:
    return " ".join(data[at : at + size].hex() for at in range(0, len(data), size))


def xxd(data: bytes, size: int = 2) -> str:
    width = 32 + 16 // size
    return "\n".join(
        f"{at:08x}: {groups(row, size):<{width}} {shown(row)}" for at, row in lines(data)
    )


def hexdump_canonical(data: bytes) -> str:
    rows = (f"{at:08x}  {halves(row):<48}  |{shown(row)}|" for at, row in lines(data))
    return "\n".join([*rows, f"{len(data):08x}"])


def halves(row: bytes) -> str:
    return f"{row[:8].hex(' ')}  {row[8:].hex(' ')}".rstrip()


def words(data: bytes, offset: str, size: int, form: str) -> str:
    rows = []
    for at, row in lines(data):
        padded = row.ljust(-(-len(row) // size) * size, b"\0")
        numbers = [
            int.from_bytes(padded[n : n + size], "little") for n in range(0, len(padded), size)
        ]
        rows.append(f"{at:{offset}} " + " ".join(f"{number:{form}}" for number in numbers))
    return "\n".join([*rows, f"{len(data):{offset}}"])


def wireshark(data: bytes) -> str:
    return "\n".join(f"{at:04x}  {row.hex(' '):<47}   {shown(row)}" for at, row in lines(data))


def wireshark_hex_alone(data: bytes) -> str:
    return "\n".join(f"{at:04x}   {row.hex(' ')}" for at, row in lines(data))


def tcpdump(data: bytes) -> str:
    rows = (f"\t0x{at:04x}:  {groups(row, 2):<39}  {shown(row)}" for at, row in lines(data))
    return "\n".join(rows)


def escaped_lines(data: bytes) -> str:
    """As Wireshark copies an escaped string."""
    rows = ('"' + "".join(f"\\x{byte:02x}" for byte in row) + '"' for _, row in lines(data))
    return " \\\n".join(rows)


def c_string(data: bytes) -> str:
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


def rust_bytes(data: bytes) -> str:
    special = {0: "\\0", 9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 92: "\\\\"}
    letters = (
        special.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}")
        for byte in data
    )
    return 'b"' + "".join(letters) + '"'


def signed(data: bytes) -> list[int]:
    return list(struct.unpack(f"{len(data)}b", data))


def listed(data: Iterable[object], between: str = ", ") -> str:
    return between.join(map(str, data))


FORMS: dict[str, Callable[[bytes], str]] = {
    "hex": bytes.hex,
    "hex, upper case in blanks": lambda data: data.hex(" ").upper(),
    "hex, broken lines": lambda data: "\n".join(row.hex() for _, row in lines(data)),
    "hex, quoted": lambda data: f'"{data.hex()}"',
    "hex with 0x": lambda data: f"0x{data.hex()}",
    "hex with colons": lambda data: data.hex(":"),
    "hex with dashes": lambda data: data.hex("-"),
    "hex of SQL": lambda data: f"X'{data.hex()}'",
    "hex of PostgreSQL": lambda data: f"\\x{data.hex()}",
    "0x each": lambda data: listed((f"0x{byte:02x}" for byte in data), " "),
    "0x each, commas": lambda data: listed(f"0x{byte:02X}" for byte in data),
    "xxd": xxd,
    "xxd -g1": lambda data: xxd(data, 1),
    "xxd -g4": lambda data: xxd(data, 4),
    "hexdump -C": hexdump_canonical,
    "hexdump": lambda data: words(data, "07x", 2, "04x"),
    "od": lambda data: words(data, "07o", 2, "06o"),
    "od -x": lambda data: words(data, "07o", 2, "04x"),
    "od -t x4": lambda data: words(data, "07o", 4, "08x"),
    "od -t x1": lambda data: words(data, "07o", 1, "02x"),
    "od -A d -t x1": lambda data: words(data, "07d", 1, "02x"),
    "od -b": lambda data: words(data, "07o", 1, "03o"),
    "tshark -x": wireshark,
    "Wireshark, hex alone": wireshark_hex_alone,
    "tcpdump -X": tcpdump,
    "escapes": lambda data: "".join(f"\\x{byte:02x}" for byte in data),
    "an escaped string of Wireshark": escaped_lines,
    "a C string": c_string,
    "a C array": lambda data: f"uint8_t frame[{len(data)}] = {{ {listed(map(hex, data))} }};",
    "a Go slice": lambda data: f"[]byte{{{listed(map(hex, data))}}}",
    "a Go slice, printed": lambda data: f"[{listed(data, ' ')}]",
    "a Java array": lambda data: f"new byte[] {{{listed(f'(byte) {byte:#x}' for byte in data)}}};",
    "a Java array, printed": lambda data: str(signed(data)),
    "a Python list": lambda data: str(list(data)),
    "a Python bytearray of a list": lambda data: f"bytes({list(data)})",
    "a Rust vector": lambda data: f"vec![{listed(f'{byte}u8' for byte in data)}]",
    "Rust bytes": rust_bytes,
    "a Rust array": lambda data: f"let frame: [u8; {len(data)}] = {list(data)};",
    "an Erlang binary": lambda data: f"<<{listed(data, ',')}>>",
    "a buffer of Node": lambda data: f"<Buffer {data.hex(' ')}>",
    "JSON of Node": lambda data: f'{{"type":"Buffer","data":{list(data)}}}',
}


@pytest.mark.parametrize("form", FORMS)
@given(data=SOME)
@example(data=b"00\x00\x00\x00")
def test_bytes_come_back_from_every_form(form: str, data: bytes) -> None:
    if form in ("tcpdump -X", "escapes", "Rust bytes"):
        assume(len(data) > 1)
    if form == "Rust bytes":
        assume(b"\\x" in rust_bytes(data).encode() or b"\\0" in rust_bytes(data).encode())
    found = read(FORMS[form](data))
    assert found is not None
    assert found.data == data


@given(data=SOME)
def test_bytes_come_back_from_python_that_has_an_escape(data: bytes) -> None:
    assume("\\x" in repr(data))
    for text in (repr(data), repr(bytearray(data)), f"data = {data!r}\n"):
        found = read(text)
        assert found is not None
        assert found.data == data


@example(data=b"\xff\xf0")
@given(data=st.binary(min_size=1, max_size=70))
def test_bytes_come_back_from_base64(data: bytes) -> None:
    for text in (base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()):
        assume(not all(letter in "0123456789abcdefABCDEF-_" for letter in text))
        for broken in (text, f'"{text}"', f"{text[:8]}\n{text[8:]}\n"):
            found = read(broken)
            assert found is not None
            assert found.data == data


@given(data=st.binary(max_size=200))
def test_no_text_makes_it_fail(data: bytes) -> None:
    read(data.decode("utf-8", "surrogateescape"))


@given(text=st.text(alphabet="0123456789abcdefx\\\"'{}[](),: \n\t|.-*u", max_size=80))
def test_nothing_like_a_form_makes_it_fail(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    "text", ["000000026731 00000000000000000001", "000100 026731", "0003000267 31", "0000 0015"]
)
def test_hex_digits_that_look_like_an_offset_are_hex(text: str) -> None:
    found = read(text)
    assert found is not None
    assert found.data == bytes.fromhex(text)


@pytest.mark.parametrize("text", ["hello there", "[1000]", "zz", "{a, b}", "'quoted'"])
def test_what_is_no_bytes_is_none(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("tool", "command"),
    [
        (command.split()[0], command)
        for command in (
            "xxd",
            "xxd -u -c 20",
            "xxd -b",
            "xxd -i",
            "xxd -p",
            "hexdump -C",
            "hexdump",
            "hexdump -b",
            "hexdump -c",
            "hexdump -x",
            "od",
            "od -c",
            "od -t x1z -A x",
            "od -t d1",
            "od -t u1 -A d",
            "od -A n -t x1",
        )
        if shutil.which(command.split()[0])  # od is everywhere, the others are packages
    ],
)
@pytest.mark.parametrize(
    "data",
    [FRAME, bytes(100) + FRAME, FRAME * 5, b"ab cd  ef |x| 12 > <" * 3, bytes(range(256))],
    ids=["a frame", "zeros", "several lines", "text like hex", "all bytes"],
)
def test_dumps_of_real_tools_are_read(tool: str, command: str, data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "frame"
    file.write_bytes(data)
    text = subprocess.run(
        [*command.split(), str(file)], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    for pasted in (text, f"$ {command} frame\n{text}$ \n"):
        if pasted != text and command in ("xxd -p", "od -A n -t x1"):
            continue
        if command == "od -A n -t x1" and "*" in text:
            continue  # how often a line comes again is not in it
        found = read(pasted)
        assert found is not None, text
        assert found.data == data, text


IPV4 = bytes.fromhex("4500 0000 0000 4000 4006 0000 7f000001 7f000002")
TCP = bytes.fromhex("d816 2384 000003e8 00000001 5018 ffff 0000 0000")


def packet(payload: bytes, *, sequence: int = 1000, back: bool = False) -> bytes:
    """An IPv4 packet with a TCP segment, by hand."""
    ip = bytearray(IPV4)
    ip[2:4] = struct.pack(">H", len(IPV4) + len(TCP) + len(payload))
    tcp = bytearray(TCP)
    tcp[4:8] = struct.pack(">I", sequence)
    if back:
        ip[12:16], ip[16:20] = ip[16:20], ip[12:16]
        tcp[0:2], tcp[2:4] = tcp[2:4], tcp[0:2]
    return bytes(ip + tcp) + payload


ETHERNET = bytes(12) + b"\x08\x00"
LINKS = {"tcpdump -X": b"", "tcpdump -XX": ETHERNET, "loopback": b"\x02\0\0\0"}


@pytest.mark.parametrize("head", LINKS.values(), ids=LINKS)
def test_the_headers_of_packets_are_skipped(head: bytes) -> None:
    text = "12:00:01.000002 IP 127.0.0.1.55318 > 127.0.0.2.9092: Flags [P.], length 25\n"
    text += tcpdump(head + packet(FRAME[:10])) + "\n" + text
    text += tcpdump(head + packet(FRAME[10:], sequence=1010))
    found = read(text)
    assert found is not None
    assert found.data == FRAME
    assert found.notes == ("2 packets of TCP: the headers of network and TCP are skipped",)
    assert {piece.side for piece in found.pieces} == {"127.0.0.1:55318 to 127.0.0.2:9092"}


def test_a_packet_that_was_sent_twice_is_taken_once() -> None:
    found = read("\n\n".join([tcpdump(packet(FRAME))] * 2))
    assert found is not None
    assert found.data == FRAME
    again = f"{len(FRAME)} bytes from 127.0.0.1:55318 came again (retransmitted by TCP)"
    assert found.notes[1:] == (f"{again}, and are taken once",)


def test_a_packet_of_which_a_part_was_sent_before_has_that_said() -> None:
    later = packet(FRAME[10:], sequence=1010)
    found = read("\n\n".join([tcpdump(packet(FRAME[:15])), tcpdump(later)]))
    assert found is not None
    assert found.data == FRAME
    assert found.notes[1].startswith("5 bytes from 127.0.0.1:55318 came again")


def test_bytes_that_are_missing_between_packets_are_told() -> None:
    later = packet(FRAME, sequence=1000 + len(FRAME) + 7)
    found = read("\n\n".join([tcpdump(packet(FRAME)), tcpdump(later)]))
    assert found is not None
    assert "7 bytes from 127.0.0.1:55318 are missing between two packets" in found.notes


def test_a_whole_packet_as_a_hex_stream_or_bytes_is_a_packet() -> None:
    data = ETHERNET + packet(FRAME)
    for found in (read(data.hex()), raw(data)):
        assert found is not None
        assert found.data == FRAME


def test_no_frame_is_taken_for_a_packet() -> None:
    assert raw(FRAME).pieces == (Piece(FRAME),)


ANSWER = bytes.fromhex("0000000a00000007002300000000")
FOLLOWED = {
    "C arrays": (
        f"char peer0_0[] = {{ /* Packet 4 */\n{listed(map(hex, FRAME))} }};\n"
        f"char peer1_0[] = {{ /* Packet 6 */\n{listed(map(hex, ANSWER))} }};\n"
    ),
    "YAML": (
        "# Packet 4\npeer0_0: !!binary |\n  " + base64.b64encode(FRAME).decode() + "\n"
        "# Packet 6\npeer1_0: !!binary |\n  " + base64.b64encode(ANSWER).decode() + "\n"
    ),
    "YAML with peers": (
        "peers:\n  - peer: 0\n    host: 127.0.0.1\n    port: 55318\n  - peer: 1\n"
        "    host: 127.0.0.1\n    port: 9092\npackets:\n  - packet: 4\n    peer: 0\n    index: 0\n"
        "    timestamp: 1.0\n    data: !!binary |\n      " + base64.b64encode(FRAME).decode() + "\n"
        "  - packet: 6\n    peer: 1\n    index: 0\n    timestamp: 1.1\n    data: !!binary |\n      "
        + base64.b64encode(ANSWER).decode()
        + "\n"
    ),
    "tshark, raw": (
        "=" * 67 + "\nFollow: tcp,raw\nFilter: tcp.stream eq 0\nNode 0: 127.0.0.1:55318\n"
        f"Node 1: 127.0.0.1:9092\n{FRAME.hex()}\n\t{ANSWER.hex()}\n" + "=" * 67 + "\n"
    ),
    "a hex dump": (
        f"00000000  {halves(FRAME[:16])}   {shown(FRAME[:8])} {shown(FRAME[8:16])}\n"
        f"00000010  {halves(FRAME[16:])}   {shown(FRAME[16:])}\n"
        f"    00000000  {halves(ANSWER)}   {shown(ANSWER)}\n"
    ),
}


@pytest.mark.parametrize("text", FOLLOWED.values(), ids=FOLLOWED)
def test_a_followed_stream_has_two_sides(text: str) -> None:
    found = read(text)
    assert found is not None
    assert [piece.data for piece in found.pieces] == [FRAME, ANSWER]
    assert len({piece.side for piece in found.pieces}) == 2


FULL = FRAME + bytes(range(7))
"""Whole lines, and no part of a group at the end."""


def backwards(data: bytes, size: int = 4) -> str:
    """As `xxd -e` prints it, a group that is not full on the right."""
    width = (16 // size) * (2 * size + 1) - 1
    rows = []
    for at, row in lines(data):
        each = (row[n : n + size][::-1].hex().rjust(2 * size) for n in range(0, len(row), size))
        rows.append(f"{at:08x}: {' '.join(each):<{width}}  {shown(row)}")
    return "\n".join(rows)


def with_text(data: bytes, order: str) -> str:
    """As `od -A x -t x2z` prints it."""
    rows = []
    for at, row in lines(data):
        numbers = (f"{int.from_bytes(row[n : n + 2], order):04x}" for n in range(0, len(row), 2))  # type: ignore[arg-type]
        rows.append(f"{at:06x} {' '.join(numbers)}  >{shown(row)}<")
    return "\n".join([*rows, f"{len(data):06x}"])


@pytest.mark.parametrize("size", [2, 4, 8])
def test_groups_that_are_printed_backwards_are_told_by_the_text(size: int) -> None:
    for data in (FRAME, FULL):
        found = read(backwards(data, size))
        assert found is not None
        assert found.data == data
        assert found.notes == (f"groups of {size} bytes, low byte first, as the text shows",)


def test_groups_that_are_printed_backwards_are_told_by_the_place_of_the_last() -> None:
    data = bytes(range(1, 8)) * 5
    found = read(backwards(data))
    assert found is not None
    assert found.data == data
    assert "as the place of the last group shows" in found.notes[0]


def test_both_orders_are_kept_where_nothing_shows_which_it_is() -> None:
    data = bytes(range(16))
    found = read(backwards(data))
    assert found is not None
    assert found.other is not None
    printed = b"".join(data[n : n + 4][::-1] for n in range(0, 16, 4))
    assert (found.data, found.other.data) == (printed, data)
    assert "nothing shows the order" in found.notes[0]


@pytest.mark.parametrize("order", ["little", "big"])
def test_words_of_od_are_in_the_order_that_the_text_shows(order: str) -> None:
    found = read(with_text(FULL, order))
    assert found is not None
    assert found.data == FULL
    assert found.other is None


def test_words_without_text_are_taken_for_those_of_a_little_endian_machine() -> None:
    found = read(words(FULL, "07o", 2, "04x"))
    assert found is not None
    assert found.data == FULL
    assert "little-endian machine" in found.notes[0]
    assert found.other is not None


def netty(data: bytes) -> str:
    ruler = "+--------+-------------------------------------------------+----------------+"
    rows = (f"|{at:08x}| {row.hex(' '):<47} |{shown(row):<16}|" for at, row in lines(data))
    return "\n".join([ruler, *rows, ruler])


def gdb(data: bytes) -> str:
    return "\n".join(
        f"0x7ffe{at:04x} <frame+{at}>:\t" + "\t".join(f"0x{byte:02x}" for byte in row)
        for at, row in lines(data, 8)
    )


def hexyl(data: bytes) -> str:
    rows = (
        f"│{at:08x}│ {row[:8].hex(' '):<23} ┊ {row[8:].hex(' '):<23} │{'⋄' * 8}┊{'⋄' * 8}│"
        for at, row in lines(data)
    )
    return "\n".join(["┌────────┬───┬───┬────┬────┐", *rows, "└────────┴───┴───┴────┴────┘"])


DECORATED: dict[str, Callable[[bytes], str]] = {
    "hexyl": hexyl,
    "a logger's dump": lambda data: "\n".join(
        f"2026-11-26 10:00:01 DEBUG {line}" for line in xxd(data).splitlines()
    ),
    "colours": lambda data: f"\x1b[32m{data.hex()}\x1b[0m",
    "blanks of a web page": lambda data: xxd(data).replace(" ", "\u00a0"),
    "remarks": lambda data: f"{data[:4].hex(' ')}  # length\n{data[4:].hex(' ')} // the rest",
    "hexlify": lambda data: repr(data.hex().encode()),
    "percent-encoding": lambda data: "".join(f"%{byte:02X}" for byte in data),
    "numbers in columns": lambda data: "".join(f"{byte:4}" for byte in data),
    "an object of JavaScript": lambda data: (
        "{" + ", ".join(f'"{at}": {byte}' for at, byte in enumerate(data)) + "}"
    ),
    "a log's hex in pairs": lambda data: f"10:00:01 DEBUG sent 25 bytes: {data.hex(' ')}",
    "two lines of a log": lambda data: (
        f"10:00:01 sent {data[:16].hex()}\n10:00:02 sent {data[16:].hex()} {data[:0].hex()}"
    ),
    "Netty": netty,
    "gdb x/xb": gdb,
    "quoted": lambda data: "\n".join(f"> {line}" for line in xxd(data).splitlines()),
    "docker compose": lambda data: "\n".join(
        f"kafka-1  | {line}" for line in hexdump_canonical(data).splitlines()
    ),
    "assembler": lambda data: " ".join(f"{byte:02X}h" for byte in data),
    "a log's hex": lambda data: (
        f"2026-11-26 10:11:12 DEBUG sent bytes={data.hex()} len={len(data)}"
    ),
    "a log's base64": lambda data: f"DEBUG [wire] {base64.b64encode(data).decode()} (org.x.Wire)",
    "base64 in JSON": lambda data: f'{{"frame": "{base64.b64encode(data).decode()}", "n": 1}}',
}


@pytest.mark.parametrize("form", DECORATED)
def test_marks_around_bytes_are_left_out(form: str) -> None:
    found = read(DECORATED[form](FRAME))
    assert found is not None
    assert found.data == FRAME


@pytest.mark.parametrize(
    "text",
    [
        "Sent MetadataRequest (v4, 25 bytes @ 0, CorrId 2)",
        "trace 4bf92f3577b34da6a3ce929d0e0e4736 span",
        "java.util.concurrent.ExecutionException: NotEnoughReplicasException",
    ],
)
def test_words_of_a_log_are_no_bytes(text: str) -> None:
    assert read(text) is None
