"""`from conformance import ...` has what it says, in any order, and costs nothing before."""

from __future__ import annotations

import subprocess
import sys

import pytest

import conformance


def printed(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", conformance.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(conformance, name) is not None
    assert name in dir(conformance)


def test_the_stub_names_what_the_package_has() -> None:
    stub = conformance.__file__ + "i"
    with open(stub, encoding="utf-8") as file:
        told = {line.split(" as ")[1].strip() for line in file if " as " in line}
    assert told | {"__version__"} == set(conformance.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'decodes'"):
        conformance.decodes  # type: ignore[attr-defined] # noqa: B018


def test_the_package_alone_loads_nothing_else() -> None:
    loaded = "sorted(name for name in sys.modules if name.startswith('conformance'))"
    assert printed(f"import sys, conformance; print({loaded})") == "['conformance']"
    assert printed("import sys, conformance; print('msgspec' in sys.modules)") == "False"


def test_explain_is_the_function_though_a_module_is_named_so() -> None:
    first = "from conformance.explain import Explainer\nfrom conformance import explain\n"
    second = "from conformance import explain\nfrom conformance.explain import Explainer\n"
    for order in (first, second):
        assert printed(f"{order}print(explain.__name__, Explainer.__name__)") == "explain Explainer"
