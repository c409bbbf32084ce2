"""What the tap writes says in an audit what passed, be it in shreds, malformed, or lost in part."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from conformance.captures.audit.auditing import Auditor, audited
from conformance.captures.audit.judging import Judge
from conformance.captures.audit.tables import FrameVerdict
from conformance.captures.packets.network import PacketEnd, Segment
from conformance.captures.packets.writing import packet_of
from conformance.captures.streams.traffic import segments
from conformance.captures.tap.lines import Lines
from conformance.captures.tap.recording import Recorder, recording
from conformance.captures.tap.records import Kind, Record, counted
from tests.captures.speaking import greeting, hello, request, response, sized

JUDGE = Judge("kafka")
ENDS = b"10.0.0.5 50000 10.0.0.1 9092"
SEEDS = range(40)
LOSSES = (0, 0.005, 0.05)
ALL = {"topics": None}
TOKEN = {"authBytes": "AAAA"}
Seen = list[tuple[str, str, str, str]]


def pair(dice: random.Random, number: int) -> tuple[bytes, bytes]:
    """A request and its answer, most of them proper."""
    metadata = request("Metadata", 1, ALL, number), response("Metadata", 1, {}, number)
    handshake = request("SaslHandshake", dice.choice([0, 1]), {"mechanism": "PLAIN"}, number)
    login = request("SaslAuthenticate", 2, TOKEN, number) + dice.choice([b"", b"x"])
    unknown = b"\x7f\xff\0\0" + number.to_bytes(4, "big") + dice.randbytes(9)
    some = [
        (hello(number) + b"\0", greeting(number)),
        (hello(number), greeting(number) + b"\1"),
        (hello(number), greeting(number + 1000)),
        (handshake, response("SaslHandshake", 0, {}, number)),
        (b"\0alice\0pw" + dice.randbytes(dice.randrange(20)), dice.randbytes(3)),
        (unknown, number.to_bytes(4, "big") + b"abc"),
        (dice.randbytes(dice.randrange(12)), dice.randbytes(dice.randrange(12))),
        (login, response("SaslAuthenticate", 2, TOKEN, number)),
    ]
    usual = [(hello(number), greeting(number)), metadata]
    return dice.choice(usual if number == 1 or dice.random() < 0.7 else some)


def passing(dice: random.Random, losses: float) -> Iterator[Record]:
    """What a forwarder tells of one connection, with so many of the pieces lost."""
    yield Record(Kind.OPENED, 0, 1, 1, ENDS)
    for number in range(1, 40):
        for side, frame in enumerate(pair(dice, number)):
            data = sized(frame) if dice.random() > 0.01 or number == 1 else b"\xff" + frame
            while data:
                size = dice.choice([len(data), dice.randrange(1, len(data) + 1)])
                piece, data = data[:size], data[size:]
                if dice.random() < losses:
                    yield Record(Kind.LOST, side, 1, number, counted(len(piece)))
                else:
                    yield Record(Kind.SAID, side, 1, number, piece)
    if dice.random() < 0.5:
        yield Record(Kind.RESET, dice.randrange(2), 1, 99)


def seen(rows) -> Seen:
    verdicts = [row.verdict for row in rows if isinstance(row, FrameVerdict)]
    return [(each.case, each.message, each.rule, each.verdict) for each in verdicts]


class Both(NamedTuple):
    """The verdicts on what passed, those on the file that was written of it, and who wrote it."""

    live: Seen
    again: Seen
    recorder: Recorder


def both(folder: Path, seed: int, losses: float, *, secrets: bool) -> Both:
    auditor = Auditor(JUDGE)
    lines, path = Lines(auditor.traffic.told), folder / "t.pcapng"
    told = passing(random.Random(seed), losses)
    with recording(path, 9092, secrets=secrets) as recorder:
        found = recorder.recorded(each for record in told for each in lines.segments(record))
        live = seen(audited(auditor, found, recorder.watch))
    again = Auditor(JUDGE)
    return Both(live, seen(audited(again, segments([path], again.traffic.told))), recorder)


@pytest.mark.parametrize("losses", LOSSES)
@pytest.mark.parametrize("seed", SEEDS)
def test_with_secrets_it_says_the_same(tmp_path: Path, seed: int, losses: float) -> None:
    found = both(tmp_path, seed, losses, secrets=True)
    assert found.live == found.again
    assert found.recorder.keeps_numbers


@pytest.mark.parametrize("losses", LOSSES)
@pytest.mark.parametrize("seed", SEEDS)
def test_without_secrets_nobody_is_accused_of_more(
    tmp_path: Path, seed: int, losses: float
) -> None:
    found = both(tmp_path, seed, losses, secrets=False)
    before, behind = (
        {each[1:] for each in seen if each[3] != "pass"} for seen in (found.live, found.again)
    )
    assert behind <= before
    if found.recorder.keeps_numbers:
        assert set(found.again) <= set(found.live)


def test_without_secrets_frames_keep_their_numbers_where_none_is_missing(tmp_path: Path) -> None:
    all_found = [both(tmp_path, seed, 0, secrets=False) for seed in SEEDS]
    numbered = [each for each in all_found if each.recorder.keeps_numbers]
    assert len(numbered) > len(SEEDS) // 4
    live, again = (
        sum(len(verdicts) for verdicts in each)
        for each in zip(*((one.live, one.again) for one in numbered), strict=True)
    )
    assert again > 0.95 * live


@pytest.mark.parametrize("address", [b"\x0a\0\0\1", b"\x20\x01" + bytes(13) + b"\1"])
@pytest.mark.parametrize("payload", [b"", b"odd", b"even", b"\xff" * 60_000])
def test_a_packet_has_the_checksums_that_a_receiver_would_demand(
    address: bytes, payload: bytes
) -> None:
    ends = PacketEnd(address, 9092), PacketEnd(address[:-1] + b"\x09", 50_000)
    data = packet_of(Segment(0, ends, *ends, 7, 9, 16, payload))
    is_v4 = len(address) == 4
    assert not is_v4 or _sum(data[:20]) == 0xFFFF
    head, addresses = (20, data[12:20]) if is_v4 else (40, data[8:40])
    tcp = data[head:]
    pseudo = addresses + len(tcp).to_bytes(4, "big") + b"\0\0\0\x06"
    assert _sum(pseudo + tcp) == 0xFFFF
    assert tcp[20:] == payload


def _sum(data: bytes) -> int:
    """The ones' complement sum, word by word as RFC 1071 has it."""
    total = 0
    data += b"\0" * (len(data) % 2)
    for at in range(0, len(data), 2):
        total += int.from_bytes(data[at : at + 2], "big")
        total = (total & 0xFFFF) + (total >> 16)
    return total
