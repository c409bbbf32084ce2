"""The rows of an audit: tasks yield them, and Tables adds them up."""

from __future__ import annotations

import msgspec

from conformance.results.lines import Verdict


class FrameVerdict(msgspec.Struct, frozen=True, tag="judged", tag_field="type"):
    """A verdict, and the writer of the frame: a client by its name, or a broker by its address."""

    verdict: Verdict
    who: str


class ClientSeen(msgspec.Struct, frozen=True, tag="client", tag_field="type"):
    """Connections of one client software, as it names itself (KIP-511), with one client id."""

    software: str
    software_version: str
    client_id: str
    connections: int


class Used(msgspec.Struct, frozen=True, tag="used", tag_field="type"):
    """Requests of one API in one version by a client."""

    who: str
    api: str
    version: int
    requests: int


class PacketsPassed(msgspec.Struct, frozen=True, tag="passed", tag_field="type"):
    """Packets or frames that were not judged: the reason, the count, and the first one."""

    why: str
    count: int
    example: str = ""


class FramesLost(msgspec.Struct, frozen=True, tag="lost", tag_field="type"):
    """A part of the traffic that a task should have judged and could not, and why."""

    part: str
    why: str


class FramesSeen(msgspec.Struct, frozen=True, tag="frames", tag_field="type"):
    """The totals: packets read, connections with frames, requests and responses judged."""

    packets: int
    connections: int
    requests: int
    responses: int


Row = FrameVerdict | ClientSeen | Used | PacketsPassed | FramesLost | FramesSeen
