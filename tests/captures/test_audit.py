"""The audit as a user meets it: a real client's traffic, planted faults, files that are none."""

from __future__ import annotations

import json
import random
import shlex
import socket
import struct
import subprocess
import sys

import pytest
from click.testing import CliRunner

from conformance.captures.audit.auditing import audit_part
from conformance.captures.audit.tables import FrameVerdict, Tables
from conformance.captures.errors import CaptureError
from conformance.captures.packets.writing import PcapngWriter
from conformance.captures.streams.traffic import PassedOver, segments
from conformance.cli import main
from conformance.reference.broker.broker import play
from conformance.reference.broker.connections.server import serving
from conformance.results.files import read_lines
from conformance.results.lines import Finding, Run, Summary, Verdict
from tests.captures.proxy import recorded
from tests.captures.speaking import audited, broken, greeting, hello, request, response, sized
from tests.captures.writing import Line, pcap, pcapng, snapped, written


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


def connections(number: int, faulty: int = 0):
    """Connections with a request each; the first so many have a byte too many."""
    packets = []
    for each in range(number):
        line = Line(client=(f"10.0.{each % 200}.5", 1024 + each)).opens()
        line.asks(sized(hello() + b"\0" * (each < faulty))).answers(sized(greeting()))
        packets += line.closes().packets
    return packets


@pytest.fixture
def good(tmp_path):
    return written(tmp_path / "good.pcapng", pcapng(connections(3)))


@pytest.fixture
def bad(tmp_path):
    return written(tmp_path / "bad.pcap", pcap(connections(5, faulty=2)))


def test_a_real_client_is_named_and_breaks_nothing(tmp_path):
    kafka = pytest.importorskip("kafka")
    admin = pytest.importorskip("kafka.admin")
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    broker = play("4.x", port=port)
    with serving(broker) as behind, recorded(behind, listening) as recording:
        client = kafka.KafkaAdminClient(bootstrap_servers=f"127.0.0.1:{port}", client_id="ours")
        client.create_topics([admin.NewTopic("a", 2, 1)])
        assert client.list_topics() == ["a"]
        client.close()
    path = written(tmp_path / "real.pcapng", pcapng(recording.packets))
    tables, verdicts = audited(path, profile="kafka")
    assert {name[:2] for name in tables.clients} == {("kafka-python", kafka.__version__)}
    assert {name[2] for name in tables.clients} == {"ours"}
    who = f"kafka-python {kafka.__version__}"
    assert {api for client, api, _ in tables.used if client == who} >= {
        "ApiVersions",
        "CreateTopics",
        "Metadata",
    }
    assert tables.requests == tables.responses > 3
    assert not broken(verdicts)
    assert not tables.passed


def test_it_says_who_connects_and_what_they_ask(good):
    ended = run("audit", good)
    assert ended.exit_code == 0
    assert "black" in ended.output
    assert "ApiVersions" in ended.output
    assert "3 requests and 3 responses on 3 connections, in 24 packets" in ended.output
    assert ": no failure" in ended.output


def test_it_shows_what_is_broken_and_the_command_shows_that_frame(bad, tmp_path):
    results = tmp_path / "results.ndjson"
    ended = run("audit", bad, "--results", results)
    assert ended.exit_code == 1
    assert "framing.nothing-after-end, broken by black 1.2" in ended.output
    assert ": 1 defect breaks the protocol" in ended.output
    assert "(2 frames)" in ended.output
    finding = json.loads(results.read_text().splitlines()[-2])
    command = finding["reproduce"].split()
    assert command[:2] == ["kafka-conformance", "explain"]
    shown = run(*command[1:])
    assert shown.output.count("-- capture/") == 1
    assert "left over" in shown.output


def test_quiet_is_the_outcome_alone(bad):
    ended = run("audit", bad, "--quiet")
    assert ended.exit_code == 1
    assert ended.output == f"{bad.name}: 1 defect breaks the protocol\n"


def test_results_have_a_line_a_verdict(bad, tmp_path):
    results = tmp_path / "results.ndjson"
    run("audit", bad, "--results", results)
    first, *middle, last = read_lines(results)
    assert isinstance(first, Run)
    assert first.target == "bad.pcap"
    assert isinstance(last, Summary)
    assert (last.cases, last.exit_code) == (10, 1)
    verdicts = [line for line in middle if isinstance(line, Verdict)]
    assert last.verdicts == {"pass": 13, "fail": 2}
    assert sum(verdict.verdict == "fail" for verdict in verdicts) == 2
    failed = next(verdict for verdict in verdicts if verdict.verdict == "fail")
    assert failed.case == "capture/10.0.0.5:1024-10.0.0.1:9092/1"
    assert failed.op == "encode-request"


def test_nothing_to_judge_is_no_success(tmp_path):
    elsewhere = Line(broker=("10.0.0.1", 80)).opens().asks(b"GET / HTTP/1.1\r\n\r\n").closes()
    path = written(tmp_path / "web.pcap", pcap(elsewhere.packets))
    assert run("audit", path).exit_code == 3
    assert "--port auto" in run("audit", path).output
    assert run("audit", path, "--port", "auto").exit_code == 3
    assert run("explain", path).exit_code == 3


def test_frames_of_which_no_definition_is_stored_are_no_success(tmp_path):
    unknown = sized(struct.pack(">hhih", 9999, 0, 2, -1))
    line = Line().opens().asks(sized(struct.pack(">hhih", 18, 99, 1, -1)), unknown).closes()
    ended = run("audit", written(tmp_path / "newer.pcap", pcap(line.packets)))
    assert ended.exit_code == 3
    assert "no stored definition has" in ended.output
    assert "nothing was judged" in ended.output


def test_a_capture_of_the_begin_of_packets_says_so(tmp_path):
    line = Line().opens().asks(sized(hello())).answers(sized(greeting())).closes()
    packets = [snapped(each, 2) for each in line.packets]
    ended = run("audit", written(tmp_path / "short.pcap", pcap(packets)))
    assert ended.exit_code == 3
    assert "tcpdump -s 0" in ended.output.splitlines()[-1]
    assert "--port" not in ended.output


@pytest.mark.parametrize("command", ["audit", "explain"])
@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.pcap", b"", "is empty"),
        ("text.pcapng", b"hello, world", "no capture"),
        ("short.pcap", b"\xd4\xc3\xb2\xa1\x02", "ends within its header"),
    ],
)
def test_what_is_no_capture_is_one_clear_line(tmp_path, command, name, content, says):
    ended = run(command, written(tmp_path / name, [content]))
    assert ended.exit_code == 2
    (line,) = ended.output.splitlines()
    assert says in line
    assert name in line


def test_a_folder_without_captures_and_a_missing_file_are_told(tmp_path):
    assert "no capture in this folder" in run("audit", tmp_path).output
    assert "No such file" in run("audit", tmp_path / "nowhere.pcap").output


def test_a_capture_cut_short_is_judged_as_far_as_it_goes(tmp_path):
    whole = b"".join(pcap(connections(3)))
    ended = run("audit", written(tmp_path / "cut.pcap", [whole[:-30]]))
    assert ended.exit_code == 0
    assert "3 requests and 3 responses" in ended.output
    assert "the rest of cut.pcap: the file ends within a packet" in ended.output.replace("\n", "")


def test_a_connection_goes_on_in_the_next_file(tmp_path):
    packets = connections(4)
    for number, start in enumerate(range(0, len(packets), 5)):
        written(tmp_path / f"part{number:02}.pcap", pcap(packets[start : start + 5]))
    ended = run("audit", *sorted(tmp_path.glob("*.pcap")))
    assert "4 requests and 4 responses on 4 connections" in ended.output


@pytest.mark.parametrize("parts", [2, 5])
def test_the_parts_add_up_to_the_whole(bad, parts):
    whole, _ = audited(bad)
    split, cases = Tables(), []
    for part in range(parts):
        for row in audit_part([bad], part, parts):
            split.take(row)
            cases += [row.verdict.case] if isinstance(row, FrameVerdict) else []
    assert split == whole
    assert len(cases) == sum(whole.verdicts.values())


def test_explain_has_a_line_for_each_frame_and_all_bytes_where_they_are_asked_for(mixed):
    ended = run("explain", mixed)
    assert ended.exit_code == 0
    connection, *frames, one, _ = ended.output.splitlines()
    assert connection.startswith("capture/")
    assert frames[:2] == [
        "     1  22:13:20.000003  > ApiVersionsRequest v3, RequestHeader v2, 23 bytes",
        "     2  22:13:20.000004  < ApiVersionsResponse v3, ResponseHeader v0, 19 bytes",
    ]
    assert len(frames) == 6
    asked = run(*shlex.split(one.partition("kafka-conformance ")[2]))
    assert asked.output.count("header.correlationId") == 1


def test_explain_says_below_a_line_what_is_wrong_with_the_frame(tmp_path):
    line = Line().opens().asks(sized(hello(1) + b"\0")).answers(sized(greeting(1))).closes()
    ended = run("explain", written(tmp_path / "c.pcap", pcap(line.packets)))
    assert "\n        left over: offset " in ended.output


def test_explain_shows_every_byte_of_both_sides(good):
    ended = run("explain", good, "-v")
    assert ended.exit_code == 0
    assert ended.output.count("request at 2023-11-14T22:13:20") == 3
    assert ended.output.count("ApiVersionsResponse v3") == 3
    lines = [json.loads(line) for line in run("explain", good, "--json").output.splitlines()]
    assert [each["side"] for each in lines] == ["request", "response"] * 3
    assert lines[0]["rows"][0]["path"] == "header.requestApiKey"


def shown_cases(*arguments) -> list[str]:
    """The ids of the frames that `explain` shows, with the number alone."""
    lines = run("explain", *arguments, "--json").output.splitlines()
    return [json.loads(line)["case"].rpartition("/")[2] for line in lines]


@pytest.fixture
def mixed(tmp_path):
    line = Line().opens().asks(sized(hello(1))).answers(sized(greeting(1)))
    line.asks(sized(request("Metadata", 12, {"topics": None}, 2)))
    line.answers(sized(response("Metadata", 12, {}, 2)))
    line.asks(sized(request("Metadata", 1, {"topics": None}, 3)))
    line.answers(sized(response("Metadata", 1, {}, 3))).closes()
    return written(tmp_path / "mixed.pcap", pcap(line.packets))


@pytest.mark.parametrize(
    ("options", "cases"),
    [
        ("", "123456"),
        ("--message Metadata", "3456"),
        ("--message MetadataResponse", "46"),
        ("--message Metadata --api-version 12", "34"),
        ("--api-version 1", "56"),
        ("--response", "246"),
        ("--message ApiVersions --request", "1"),
    ],
)
def test_explain_shows_only_what_is_wanted(mixed, options, cases):
    assert shown_cases(mixed, *options.split()) == list(cases)


def test_explain_says_where_nothing_is_wanted_or_there_is_no_such_message(mixed):
    none = run("explain", mixed, "--message", "Produce")
    assert (none.exit_code, none.output.count("\n")) == (3, 1)
    assert "no such frame" in none.output
    unknown = run("explain", mixed, "--message", "Metdata")
    assert (unknown.exit_code, unknown.output.count("\n")) == (2, 1)
    assert "no message 'Metdata'" in unknown.output


@pytest.mark.parametrize("option", ["--body", "--length", "--format=hex"])
def test_options_for_bytes_are_refused_for_captures(mixed, option):
    ended = run("explain", mixed, option)
    assert ended.exit_code == 2
    assert "not for captures" in ended.output


def reproduced(tmp_path, packets, *options) -> tuple[list[str], str]:
    """The cases that findings of an audit name, and what their commands show."""
    path = written(tmp_path / "planted.pcap", pcap(packets))
    results = tmp_path / "results.ndjson"
    assert run("audit", path, "--results", results, *options).exit_code == 1
    findings = [each for each in read_lines(results) if isinstance(each, Finding)]
    ended = [run(*shlex.split(each.reproduce)[1:]) for each in findings]
    assert all(each.exit_code == 1 for each in ended), [each.output for each in ended]
    assert findings
    return [each.case for each in findings], "".join(each.output for each in ended)


def test_the_command_of_a_finding_shows_an_answer_to_nothing(tmp_path):
    line = Line().opens().asks(sized(hello(1))).answers(sized(greeting(2))).closes()
    (case,), shown = reproduced(tmp_path, line.packets)
    assert f"-- {case}, response" in shown
    assert "header.correlationId" in shown
    assert "a response to no request that waits for one" in shown


def test_the_command_of_a_finding_is_one_for_a_shell(tmp_path):
    ends = ("::1", 5000), ("::1", 9092)
    line = Line(*ends).opens().closes()
    again = Line(*ends, begins=(5, 6)).opens().asks(sized(hello(1) + b"\0")).closes()
    cases, shown = reproduced(tmp_path, line.packets + again.packets)
    assert all(case.startswith("capture/[::1]:5000-[::1]:9092~2/") for case in cases)
    assert all(f"-- {case}, request" in shown for case in cases)


def test_the_command_of_a_finding_reads_frames_as_large_as_the_audit_did(tmp_path):
    topic = {"topicId": "A" * 22, "name": "a" * 30_000}
    large = request("Metadata", 12, {"topics": [topic] * 600}, 1)
    line = Line(mss=60_000).opens().asks(sized(large + b"\0"))
    line.answers(sized(response("Metadata", 12, {}, 1))).closes()
    cases, shown = reproduced(tmp_path, line.packets, "--largest", "32")
    assert all(f"-- {case}, request" in shown for case in cases)


def test_the_command_of_a_finding_reads_by_the_release_of_the_audit(tmp_path):
    line = Line().opens().asks(sized(hello(1) + b"\0")).answers(sized(greeting(1))).closes()
    _, shown = reproduced(tmp_path, line.packets, "--release", "3.9.2")
    assert "by the definitions of Kafka 3.9.2" in shown


def test_the_command_of_a_finding_ends_as_its_verdict_does(tmp_path):
    unnamed = {"clientSoftwareName": "", "clientSoftwareVersion": ""}
    line = Line().opens().asks(sized(request("ApiVersions", 3, unnamed, 1)))
    line.answers(sized(greeting(1))).closes()
    (case,), shown = reproduced(tmp_path, line.packets)
    assert f"-- {case}, request" in shown
    assert "malformed" not in shown
    assert "breaks client-requests.software-named" in shown


def test_a_request_newer_than_all_definitions_is_not_judged(tmp_path):
    newer = b"\0\x21\0\x63" + request("AlterConfigs", 2, {}, 1)[4:] + b"hunter2"
    path = written(tmp_path / "c.pcap", pcap(Line().opens().asks(sized(newer)).packets))
    ended = run("explain", path, "-v")
    assert ended.exit_code == 3
    assert "no stored definition has AlterConfigsRequest version 99" in " ".join(
        ended.output.split()
    )
    assert b"hunter2".hex(" ") not in ended.output  # a body that is not known may be secret


@pytest.mark.parametrize("command", ["audit", "explain"])
def test_a_file_that_names_its_port_needs_no_option(tmp_path, command):
    line = Line(broker=("10.0.0.1", 19092)).opens().asks(sized(hello())).answers(sized(greeting()))
    plain, tapped = written(tmp_path / "c.pcap", pcap(line.closes().packets)), tmp_path / "t.pcapng"
    with PcapngWriter(tapped, 19092) as file:
        for segment in segments([plain], PassedOver()):
            file.write(segment)
    assert run(command, plain).exit_code == 3
    assert run(command, tapped).exit_code == 0
    assert run(command, tapped, "--port", "9092").exit_code == 3


def test_what_the_audit_passes_over_breaks_nothing_where_it_is_explained(tmp_path):
    cut = request("Metadata", 1, {"topics": []}, 1)[:-2]
    wrong = response("Metadata", 1, {}, 1) + b"\0"
    line = Line().opens().asks(sized(cut)).answers(sized(wrong)).closes()
    (case,), _ = reproduced(tmp_path, line.packets)
    answer = case.rpartition("/")[0] + "/2"
    for options in (["--case", answer], ["--message", "Metadata", "--response"]):
        ended = run("explain", tmp_path / "planted.pcap", *options)
        assert ended.exit_code == 3, ended.output
        assert "not judged: one of the answers to requests that are malformed" in ended.output


def test_passwords_are_not_shown(tmp_path):
    token = request("SaslAuthenticate", 2, {"authBytes": "AGFsaWNlAGh1bnRlcjI="}, 1)
    line = Line().opens().asks(sized(token)).answers(sized(response("SaslAuthenticate", 2, {}, 1)))
    shown = run("explain", "-v", written(tmp_path / "c.pcap", pcap(line.packets))).output
    assert "14 bytes, not shown" in shown
    assert "AGFsaWNl" not in shown
    assert "68 75 6e 74" not in shown


def test_names_do_nothing_to_a_terminal(tmp_path):
    hostile = request("Metadata", 0, {}, 1, client="[red]\x1b[2J\n\u202e")
    path = written(tmp_path / "c.pcap", pcap(Line().opens().asks(sized(hostile)).packets))
    output = run("audit", path).output
    assert "\x1b" not in output
    assert "\u202e" not in output
    assert "[red]" in output


def test_memory_is_the_same_for_a_capture_of_any_size(tmp_path):
    def peak_mib(times: int) -> float:
        packets = (each for n in range(times) for each in fetching(n).packets)
        path = written(tmp_path / f"{times}.pcap", pcap(packets))
        script = (
            "import resource, sys; from pathlib import Path;"
            "from conformance.captures.audit.auditing import audit_part;"
            "n = sum(1 for _ in audit_part([Path(sys.argv[1])]));"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, path], capture_output=True, check=True, text=True
        )
        path.unlink()
        return float(done.stdout)

    assert peak_mib(100) < peak_mib(5) + 10


LARGE = request("Metadata", 12, {"topics": [{"topicId": "A" * 22, "name": "a" * 9000}] * 100}, 2)


def fetching(number: int) -> Line:
    """A connection with a request of 900 KB."""
    line = Line(client=(f"10.1.{number // 200}.5", 1024 + number % 200), mss=60_000).opens()
    line.asks(sized(hello())).answers(sized(greeting()))
    return line.asks(sized(LARGE)).closes()


@pytest.mark.parametrize("write", [pcap, pcapng])
def test_a_damaged_capture_is_judged_or_is_one_clear_line(tmp_path, write):
    chance = random.Random(11)
    whole = b"".join(write(connections(4)))
    judged, refused = 0, []
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 3, 30))):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path = written(tmp_path / "damaged", [bytes(damaged)])
        try:
            judged += bool(audited(path, ports=None)[1])
        except CaptureError as error:
            refused.append(str(error))
    assert judged
    assert refused
    assert [each for each in refused if len(each.splitlines()) != 1] == []
