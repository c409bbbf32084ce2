"""What the tests share: where another language's tools are missing, its tests say so."""

import shutil

import pytest


def pytest_collection_modifyitems(items):
    missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    if missing:
        skip = pytest.mark.skip(reason=f"needs Java 17 and Maven: no {' and no '.join(missing)}")
        for item in items:
            if "java" in item.keywords:
                item.add_marker(skip)
