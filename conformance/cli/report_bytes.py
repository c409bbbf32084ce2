"""The bytes of a report as fields: the protocol knowledge that `reporting` itself lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from conformance.data import data_root
from conformance.errors import ConformanceError
from conformance.explain import Explainer, Explanation
from conformance.reporting.site.hexdump import Dumped, DumpedField
from conformance.results.known import Known, read_known
from conformance.results.lines import Run
from conformance.schema.releases import definitions as released
from conformance.schema.releases import message_names
from conformance.wire.annotated import Row

_LENGTH = 4
_FOLDERS = {"codec": "", "broker": "brokers", "client": "clients", "proxy": "proxies"}
_BAD = frozenset({"wrong", "incomplete"})


def annotate(asked: Dumped) -> list[DumpedField]:
    """Return the fields of a body or of frames; none if the message is unknown."""
    try:
        explainer = _explainer(asked.definitions)
        match asked.kind:
            case "body":
                found = [_body(explainer, asked)]
            case "request":
                found = [(0, explainer.request(asked.data))]
            case "response":
                found = [(0, explainer.response(asked.data, asked.message, asked.version))]
            case "requests":
                found = [(at, explainer.request(data)) for at, data in _frames(asked.data)]
            case _:
                return []
    except (ConformanceError, ValueError):
        return []
    return [_field(at, row) for at, explanation in found for row in explanation.rows]


def _body(explainer: Explainer, asked: Dumped) -> tuple[int, Explanation]:
    return 0, explainer.body(asked.data, asked.message, asked.version)


def _frames(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield frames with their lengths, one after another, and where each begins."""
    at = 0
    while at < len(data):
        end = at + _LENGTH + max(0, int.from_bytes(data[at : at + _LENGTH], "big", signed=True))
        yield at, data[at:end]
        at = end


def _field(at: int, row: Row) -> DumpedField:
    says = row.says or ("" if row.state == "read" else row.state)
    return DumpedField(
        at + row.offset, row.data, row.path, row.type, row.text, says, row.state in _BAD
    )


@cache
def _explainer(release: str) -> Explainer:
    return Explainer(release)


def definitions(release: str) -> Mapping[str, Sequence[int]]:
    """Return the versions of each message of a release; none for one that is not bundled."""
    try:
        release = _explainer(release).codec.release
        held = released(release)
        return {name: list(held[name].valid) for name in message_names(release) if name in held}
    except ConformanceError:
        return {}


def bundled_known(run: Run, kind: str) -> Sequence[Known]:
    """Return the known failures of a bundled target, none for other targets."""
    name = re.split("[@:]", run.target)[0]
    if Path(name).name != name or kind not in _FOLDERS:
        return ()
    path = data_root() / "adapters" / _FOLDERS[kind] / name / "known.toml"
    if not (isinstance(path, Path) and path.is_file()):
        return ()
    return read_known(path)
