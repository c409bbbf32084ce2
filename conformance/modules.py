"""The modules of a package that register what they define."""

from collections.abc import Iterable
from importlib import import_module
from pkgutil import walk_packages


def import_all(package: str, path: Iterable[str]) -> None:
    """Import all modules of a package and of the packages in it, in the order of their names."""
    for name in sorted(module.name for module in walk_packages(path, f"{package}.")):
        import_module(name)
