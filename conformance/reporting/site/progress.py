"""The recorded progress of a fuzzer: how much code it covered, after how many seconds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from conformance.reporting.site.reading import PROGRESS
from conformance.results.files import ResultsError

_MOST_POINTS = 400


class _Moment(msgspec.Struct):
    executions: int = 0
    edges: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class SiteProgress:
    """The progress of a fuzzer: `points` are seconds and edges, few enough to draw.

    The other fields have the values at the end.
    """

    points: list[tuple[float, int]]
    executions: int
    seconds: float


def read_progress(folder: Path) -> SiteProgress | None:
    """Return the progress of a fuzzer in its folder, None if it made none. Raises ResultsError."""
    path = folder / PROGRESS
    moments: list[_Moment] = []
    every = 1
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file):
                if number % every == 0 and line.endswith(b"\n"):
                    moments.append(msgspec.json.decode(line, type=_Moment))
                if len(moments) > 2 * _MOST_POINTS:  # half of the points are enough
                    moments, every = moments[::2], every * 2
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}", "is it a fuzzer's folder?") from None
    except msgspec.MsgspecError as error:
        raise ResultsError(f"{path}: {error}", "is it a fuzzer's folder?") from None
    if not moments:
        return None
    last = moments[-1]
    points = [(moment.seconds, moment.edges) for moment in moments]
    return SiteProgress(points, last.executions, last.seconds)
