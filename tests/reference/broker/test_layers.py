"""The state machines do no I/O of their own: what stands around them alone knows sockets."""

import ast
from importlib.resources import files

import pytest

MODULES = sorted(
    item.name
    for item in files("conformance.reference.broker").iterdir()
    if item.name.endswith(".py")
)
AROUND = ("server.py", "client_program.py")
IO = {"asyncio", "io", "os", "pathlib", "selectors", "socket", "ssl", "threading", "time"}


def imported(module):
    tree = ast.parse(files("conformance.reference.broker").joinpath(module).read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]


@pytest.mark.parametrize("module", [name for name in MODULES if name not in AROUND])
def test_a_module_does_no_io(module):
    assert not IO & set(imported(module))
