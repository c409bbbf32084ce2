"""Lines of results made by hand."""

from __future__ import annotations

from typing import Any

from conformance.results.lines import Run, Verdict, VerdictName

RUN = Run(
    target="small",
    target_version="small 1.0",
    language="python",
    definitions="4.4.0",
    suite_version="0.1.0",
    profile="spec",
    started="2026-01-01T00:00:00+00:00",
    selection={"messages": ["MetadataRequest"]},
)


def verdict(
    name: VerdictName = "fail",
    rule: str = "tags.ascending",
    message: str = "MetadataRequest",
    version: int = 9,
    shape: str = "filled",
    op: str = "decode",
    **fields: Any,
) -> Verdict:
    given: dict[str, Any] = {
        "class_": "must",
        "case": f"{message}-v{version}-{shape}/{op}",
        "outcome": "value",
        "input": "0102",
        **fields,
    }
    return Verdict(rule=rule, message=message, version=version, op=op, verdict=name, **given)
