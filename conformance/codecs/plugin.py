"""The pytest plugin that judges a codec beside a user's own tests, and costs nothing otherwise.

    pytest --kafka-codec mypackage.codec:Codec

pytest loads this in every run where the suite is installed, so it only has options. If a codec is
named, the gate's items join those that were collected, and `conformance.gate.items` makes them.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the gate."""
    group = parser.getgroup("kafka-conformance", "conformance to the Kafka protocol")
    group.addoption("--kafka-codec", metavar="TARGET", help="judge this codec: module:object, …")
    group.addoption(
        "--kafka-rule", action="append", default=[], metavar="ID", help="only these rules (globs)"
    )
    group.addoption(
        "--kafka-message", action="append", default=[], metavar="NAME", help="only these messages"
    )
    group.addoption(
        "--kafka-profile", choices=("spec", "kafka"), default="spec", help="which rules"
    )
    group.addoption("--kafka-known", metavar="FILE", help="failures that are known")
    group.addoption(
        "--kafka-by-cause",
        action="store_true",
        help="one failure for each cause; tests that only repeat it are expected to fail",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Load the gate if there is something to judge."""
    if not config.getoption("--kafka-codec"):
        return
    from conformance.codecs import own_run
    from conformance.errors import ConformanceError

    try:
        own_run.configure(config)
    except ConformanceError as error:
        raise pytest.UsageError(str(error)) from None
    config.pluginmanager.register(own_run, own_run.__name__)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Refuse the checks if no target is named that they could judge."""
    named = metafunc.config.getoption("--kafka-codec")
    if "conformance_gate" in metafunc.fixturenames and not named:
        raise pytest.UsageError("name the codec to be judged: --kafka-codec TARGET")
