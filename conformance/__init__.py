"""The referee for the Kafka wire protocol.

    from conformance import check_codec, decode, encode, explain, strategies, vectors

These names are loaded from `conformance.api` when they are first used, so that the package itself
costs nothing: pytest loads it in every run on a machine where it is installed.
"""

import importlib
import sys
from types import ModuleType

__version__ = "0.1.0"

_FROM_API = (
    "Results",
    "Vector",
    "check_codec",
    "decode",
    "encode",
    "explain",
    "vector_params",
    "vectors",
)
__all__ = [*_FROM_API, "__version__", "strategies"]  # noqa: PLE0604


class _Package(ModuleType):
    """This module. Its submodule `explain` never takes the place of the function `explain`."""

    @property
    def explain(self) -> object:
        return importlib.import_module(f"{__name__}.api").explain

    @explain.setter
    def explain(self, submodule: ModuleType) -> None:
        pass

    def __getattr__(self, name: str) -> object:
        if name in _FROM_API:
            return getattr(importlib.import_module(f"{__name__}.api"), name)
        if name == "strategies":
            return importlib.import_module(f"{__name__}.codecs.cases.strategies")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _Package
