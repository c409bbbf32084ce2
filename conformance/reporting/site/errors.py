"""What stands in the way of a site, for whoever asked for it."""

from __future__ import annotations

from conformance.errors import UNREACHABLE, ConformanceError


class NoResults(ConformanceError):
    """Nothing to make a site of."""


class FolderTaken(ConformanceError):
    """The place for the site holds something else."""


class SiteNotWritten(ConformanceError):
    """The site could not be written: no room, or not allowed to."""

    exit_code = UNREACHABLE
