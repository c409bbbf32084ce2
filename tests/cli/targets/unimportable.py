"""A module that can not be imported."""

import no_such_library  # type: ignore[import-not-found]  # noqa: F401
