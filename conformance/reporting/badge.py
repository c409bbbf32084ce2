"""A run as a badge: the JSON that shields.io draws one of, from wherever it is put."""

from __future__ import annotations

import json

from conformance.reporting.escaping import one_line
from conformance.reporting.run_report import RunReport
from conformance.results.text import counted

LABEL = "kafka conformance"


def badge(told: RunReport) -> str:
    """The JSON of an endpoint badge."""
    message, color = _says(told)
    fields = {
        "schemaVersion": 1,
        "label": LABEL,
        "message": one_line(message),
        "color": color,
        "isError": told.failed,
    }
    return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"


def _says(told: RunReport) -> tuple[str, str]:
    broken = len(told.tally.broken_rules)
    if told.summary is None:
        return "interrupted", "lightgrey"
    if told.tally.verdicts["error"] or told.summary.exit_code not in (0, 1):
        return "not judged", "lightgrey"
    if broken:
        known = ", as known" if not told.failed else ""
        return f"{counted(broken, 'rule')} broken{known}", "yellow" if known else "red"
    if told.failed:
        return "known failures are gone", "yellow"
    part = f" of {told.run.profile}" if told.run.profile != "spec" else ""
    return f"keeps {len(told.tally.rules)} rules{part}", "brightgreen"
