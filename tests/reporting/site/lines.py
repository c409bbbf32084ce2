"""Results files of a few lines, as a run would write them."""

import gzip
from typing import Any

import msgspec

from conformance import __version__
from conformance.results.lines import Finding, Run, Summary, Verdict

ASCENDING = "tags.ascending"
SKIPPED = "tags.unknown-skipped"
SENT = "0000000a0001610203"
RECEIVED = "0000000a00016102ff"


def a_run(target="mine", **changes):
    given: dict[str, Any] = {
        "target_version": f"{target} 1.0",
        "language": "python",
        "definitions": "4.3.1",
        "suite_version": __version__,
        "profile": "spec",
        "started": "2026-11-21T10:00:00+00:00",
    }
    return Run(target=target, **given | changes)


def a_verdict(verdict="pass", case="MetadataRequest-v12/decode", **changes):
    given: dict[str, Any] = {
        "rule": ASCENDING,
        "class_": "must",
        "message": "MetadataRequest",
        "version": 12,
        "op": "decode",
        "outcome": "value",
    }
    return Verdict(verdict=verdict, case=case, **given | changes)


def a_failure(case="MetadataRequest-v12/roundtrip", **changes):
    given: dict[str, Any] = {
        "verdict": "fail",
        "op": "roundtrip",
        "input": SENT,
        "expected": SENT,
        "actual": RECEIVED,
        "detail": "written differently",
    }
    return a_verdict(case=case, **given | changes)


def a_finding(case="MetadataRequest-v12/roundtrip", **changes):
    given: dict[str, Any] = {
        "cause": "roundtrip of MetadataRequest: written differently",
        "rules": [ASCENDING],
        "count": 1,
        "reproduce": f"kafka-conformance codec mine --case {case} --timeout 3",
    }
    return Finding(case=case, **given | changes)


A_SUMMARY = Summary(cases=2, verdicts={"pass": 1, "fail": 1}, seconds=2.0, exit_code=1, unasked=0)


def write(path, *lines):
    """A results file; compressed where its name says so."""
    data = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def a_file(folder, name="mine", *verdicts, **run):
    """A whole run, of these verdicts or of a pass and a failure."""
    lines = verdicts or (a_verdict(), a_failure())
    run = {"target": name} | run
    return write(folder / f"{name}.ndjson", a_run(**run), *lines, a_finding(), A_SUMMARY)
