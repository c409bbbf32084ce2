"""Charts drawn as inline SVG: where a length or a curve says more than a number.

Each has a title that states in words what it shows, and its numbers stand on the page as well.
Colours come from the style sheet, by class, so that they follow light and dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree as ET

from markupsafe import Markup

from conformance.reporting.site.progress import SiteProgress

_WIDTH = 720
_NAME = 200
_SQUARE = 9
_PLOT_HEIGHT = 200


def coverage_chart(rows: Sequence[tuple[str, Mapping[int, str]]], title: str) -> Markup:
    """Return a chart of a row per message, a square per version: `asked`, `missing`, or `extra`.

    `extra` versions are beyond the definitions. Squares of one sort are one path, since there are
    more than a thousand.
    """
    most = max((max(states, default=0) for _, states in rows), default=0)
    width = _NAME + 110 + (most + 1) * (_SQUARE + 2)
    svg = _svg(len(rows) * (_SQUARE + 4) + 4, title, width)
    paths: dict[str, list[str]] = {}
    for number, (message, states) in enumerate(rows):
        top = number * (_SQUARE + 4)
        _text(svg, _NAME + 98, top + _SQUARE, message, "end small")
        for version, state in states.items():
            left = _NAME + 106 + max(version, 0) * (_SQUARE + 2)
            paths.setdefault(state, []).append(_square(left, top, state))
    for state, parts in paths.items():
        ET.SubElement(svg, "path", {"class": f"square {state}", "d": "".join(parts)})
    return _drawn(svg)


def _square(left: int, top: int, state: str) -> str:
    """Return the path of a square, with a stroke through it unless the version was asked."""
    side = _SQUARE
    around = f"M{left} {top}h{side}v{side}h-{side}z"
    return around if state == "asked" else f"{around}l{side} {side}"


def progress_chart(name: str, progress: SiteProgress) -> Markup:
    """Return a chart of the edges of code that a fuzzer covered over time, in one curve."""
    svg = _svg(_PLOT_HEIGHT + 30, f"Edges that {name} covered over time")
    points = progress.points
    longest = max((seconds for seconds, _ in points), default=0) or 1
    most = max((edges for _, edges in points), default=0) or 1
    left, width = 70, _WIDTH - 90
    for part in (0, 0.5, 1):
        y = 10 + _PLOT_HEIGHT * (1 - part)
        _line(svg, (left, y, left + width, y), "grid")
        _text(svg, left - 6, y + 4, f"{most * part:,.0f}", "end")
        _text(svg, left + width * part, _PLOT_HEIGHT + 28, _duration(longest * part), "middle")
    spots = (
        f"{left + width * s / longest:.1f},{10 + _PLOT_HEIGHT * (1 - e / most):.1f}"
        for s, e in points
    )
    ET.SubElement(svg, "polyline", {"class": "curve", "points": " ".join(spots)})
    return _drawn(svg)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _svg(height: int, title: str, width: int = _WIDTH) -> ET.Element:
    box = f"0 0 {width} {max(height, 1)}"
    svg = ET.Element("svg", {"viewBox": box, "role": "img", "class": "chart"})
    svg.set("aria-label", title)
    ET.SubElement(svg, "title").text = _legal(title)
    return svg


def _line(svg: ET.Element, place: Iterable[float], class_: str) -> None:
    values = zip(("x1", "y1", "x2", "y2"), place, strict=True)
    ET.SubElement(svg, "line", {"class": class_, **{n: f"{v:.1f}" for n, v in values}})


def _text(svg: ET.Element, x: float, y: float, text: str, class_: str = "") -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "class": f"label {class_}".strip()}
    ET.SubElement(svg, "text", place).text = _legal(text)


def _legal(text: str) -> str:
    """Return a text without characters that XML can't hold."""
    return "".join(sign if sign.isprintable() else "�" for sign in text)


def _drawn(svg: ET.Element) -> Markup:
    """Return the markup, in which the XML writer has escaped every text."""
    return Markup(ET.tostring(svg, encoding="unicode"))
