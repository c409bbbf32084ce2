"""The state machines do no I/O of their own: what stands around them alone knows sockets."""

import ast
from pathlib import Path

import conformance.reference

ROOM = Path(conformance.reference.__file__).parent
AROUND = {"broker/connections/server.py", "client/program.py", "proxy/server.py", "proxy/tls.py"}
IO = {"asyncio", "io", "os", "pathlib", "selectors", "socket", "ssl", "threading", "time"}


def imported(file):
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]


def test_peers_do_no_io():
    files = {file.relative_to(ROOM).as_posix(): file for file in ROOM.glob("*/**/*.py")}
    assert files.keys() >= AROUND
    assert {name for name, file in files.items() if IO & set(imported(file))} == AROUND
