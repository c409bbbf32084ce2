"""The referee for the Kafka wire protocol.

    from conformance import check_codec, decode, encode, explain, strategies, vectors

What is imported from here is loaded when it is first named (`conformance.api` has it), so that the
package itself costs nothing: pytest loads it in every run of whoever has it installed.
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
    """This module. There is also a submodule `explain`, which never takes the function's place."""

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
