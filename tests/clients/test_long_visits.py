"""A driver that gave up in a visit that takes much of it is visited again alone."""

import sys

from conformance.clients.program import ClientProgram
from conformance.clients.runner import ClientRunner
from conformance.clients.scenarios.plain_brokers import ServesReading
from conformance.clients.scenarios.records.reading import PlainRecords
from conformance.clients.time_limit import Patience

DRIVER = """
import pathlib, sys
times = pathlib.Path(sys.argv[1])
times.write_text(times.read_text() + "." if times.exists() else ".")
print("ok" if times.read_text() == ".." else "error DriverTimeout it took too long")
"""


def visited(tmp_path, scenario):
    times = tmp_path / "times"
    command = (sys.executable, "-c", DRIVER, str(times), "{action}", "{bootstrap}")
    ended = ClientRunner(ClientProgram(command), Patience(10.0)).receive(scenario).ended
    return ended.outcome, times.read_text()


def test_it_counts_what_comes_of_it_alone(tmp_path):
    assert visited(tmp_path, PlainRecords) == ("ok", "..")


def test_no_other_visit_is_made_again(tmp_path):
    assert visited(tmp_path, ServesReading) == ("error", ".")
