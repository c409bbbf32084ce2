"""The bundled drivers as parameters of tests; one whose tools this machine lacks is skipped."""

from __future__ import annotations

import shutil

import pytest
from _pytest.mark import ParameterSet

from conformance.targets import registry


def drivers(*names: str) -> list[ParameterSet]:
    """All drivers, or those of these names."""
    adapters = registry.adapters(registry.CLIENTS)
    return [_driver(each) for each in adapters if not names or each.name in names]


def _driver(adapter: registry.Adapter) -> ParameterSet:
    missing = [tool for tool in adapter.needs if shutil.which(tool) is None]
    skip = pytest.mark.skipif(bool(missing), reason=f"needs {' and '.join(missing)}")
    return pytest.param(adapter.name, marks=skip, id=adapter.name)
