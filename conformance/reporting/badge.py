"""A run as a badge: a picture, and the JSON from which shields.io draws one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape

from conformance.reporting.escaping import one_line
from conformance.reporting.run_report import RunReport
from conformance.results.text import counted

LABEL = "kafka conformance"
CONFORMS = "conforms"
Color = Literal["brightgreen", "yellow", "red", "lightgrey"]
_PAINT: dict[Color, str] = {
    "brightgreen": "#1a7f37",
    "yellow": "#7d5a00",
    "red": "#b3150f",
    "lightgrey": "#5c6570",
}
_SIGN_WIDTH = 6.6
_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{said}">
<title>{said}</title>
<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#3b424c"/>\
<rect x="{left}" width="{right}" height="20" fill="{paint}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{left_middle}" y="14" textLength="{left_text}">{label}</text>
<text x="{right_middle}" y="14" textLength="{right_text}">{message}</text></g>
</svg>
"""


@dataclass(frozen=True)
class Badge:
    """The text of a badge, and its colour by shields.io's names."""

    message: str
    color: Color
    is_error: bool = False

    def endpoint(self) -> str:
        """Return the JSON of an endpoint badge."""
        fields = {
            "schemaVersion": 1,
            "label": LABEL,
            "message": one_line(self.message),
            "color": self.color,
            "isError": self.is_error,
        }
        return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"

    def svg(self) -> str:
        """Return the picture, which can be shown without a service."""
        message = one_line(self.message)
        texts = [round(len(text) * _SIGN_WIDTH) for text in (LABEL, message)]
        left, right = (text + 12 for text in texts)
        return _SVG.format(
            said=escape(f"{LABEL}: {message}", {'"': "&quot;"}),
            label=LABEL,
            message=escape(message),
            paint=_PAINT[self.color],
            width=left + right,
            left=left,
            right=right,
            left_text=texts[0],
            right_text=texts[1],
            left_middle=left / 2,
            right_middle=left + right / 2,
        )


def in_short(defects: int, ended_by: int = 0) -> str:
    """Return a result in a few words; `ended_by` is how few bytes can end it, 0 if unknown."""
    if ended_by:
        return f"can be ended by {counted(ended_by, 'byte')}"
    return counted(defects, "defect") if defects else CONFORMS


def conforming(rules: int, profile: str) -> str:
    """Return the text of a badge if nothing is broken, with how much was judged."""
    return f"{CONFORMS} to {counted(rules, 'rule')}{f' of {profile}' * (profile != 'spec')}"


def badge(told: RunReport) -> str:
    """Return the JSON of an endpoint badge."""
    return Badge(*_says(told), told.failed).endpoint()


def _says(told: RunReport) -> tuple[str, Color]:
    broken = len(told.tally.broken_rules)
    if told.summary is None:
        return "interrupted", "lightgrey"
    if told.tally.verdicts["error"] or told.summary.exit_code not in (0, 1):
        return "not judged", "lightgrey"
    if broken:
        found = len(told.findings)
        said = in_short(found) if found else f"{counted(broken, 'rule')} broken"
        return (said, "red") if told.failed else (f"{said}, as known", "yellow")
    if told.failed:
        return "known failures are gone", "yellow"
    return conforming(len(told.tally.rules), told.run.profile), "brightgreen"
