"""The errors that keep a site from being written."""

from __future__ import annotations

from conformance.errors import UNREACHABLE, ConformanceError


class NoResults(ConformanceError):
    """There are no results to make a site of."""


class FolderTaken(ConformanceError):
    """The place for the site holds something else."""


class SiteNotWritten(ConformanceError):
    """The site could not be written: no room, or no permission."""

    exit_code = UNREACHABLE
