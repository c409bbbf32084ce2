"""The adapters that come with the suite, and their builds.

An adapter is a folder with an `adapter.toml`, which pins the versions of the codec that it wraps.
A build works on a copy of that folder in the user's cache, under a name that holds all that the
result depends on: the adapter's version, its files and this Python. So a changed adapter is built
anew, nothing is ever written into a checkout or an installed package, and to list the adapters
costs no more than to read their manifests. Two processes that want the same build share one: the
second waits at a lock for a marker that is written last. A folder without that marker is the ruin
of a build that was interrupted, and is built from the start (in its own place, as virtual
environments can not be moved).
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from conformance.data import cache_dir, data_root
from conformance.targets.errors import (
    BadManifest,
    BuildFailed,
    TargetNotFound,
    ToolchainMissing,
    did_you_mean,
    shorten,
)
from conformance.targets.toolchains import what_has
from conformance.waiting import waiting

MANIFEST = "adapter.toml"
BUILD_TIMEOUT_S = 1800.0
BROKERS = "brokers"
CLIENTS = "clients"
PROXIES = "proxies"
"""The folders of the adapters of other targets than codecs, which lie one above them."""
CHECKS: Final = "+checks"
"""Behind an adapter's name: built with the checks of its language."""
PLACEHOLDERS: Final = (
    "version",
    "python",
    "serve",
    "folder",
    "port",
    "action",
    "bootstrap",
    "listen",
    "upstream",
)
_COMPLETE = ".complete"
_LOG = "build.log"
_LOG_LINES = 15
_VENV = ".venv"
_NOT_SOURCES = re.compile(r"__pycache__|node_modules|target|known.*\.toml|evidence\.toml")
_RELEASE = re.compile(r"\d+(\.\d+)*((a|b|rc|-rc|-beta\.)\d+)?")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


@dataclass(frozen=True)
class Adapter:
    """One `adapter.toml`. `versions` are newest first; `folder` may lie inside a zip.

    `oldest` is the first release that it can be built around: any from there on may be named, and
    not only `versions`, which are tried and published. Where it is empty, `versions` are all.
    `checks` are the variables that make its build one with the checks of its language (of
    overflows, of races); `build_variables` are those that its build has set.
    `rewrites` is what a proxy says that it changes.
    `evidence_command` shows what the newest gets wrong by calling it, without the suite.
    `left_out` are messages that a library has and its testee does not declare, in no version or not
    in those that stand behind the name, each with the reason.
    """

    name: str
    language: str
    licence: str
    versions: tuple[str, ...]
    oldest: str
    about: str
    needs: tuple[str, ...]
    requirements: tuple[str, ...]
    build_command: tuple[str, ...]
    start_command: tuple[str, ...]
    evidence_command: tuple[str, ...]
    folder: Traversable
    rewrites: tuple[str, ...] = ()
    checks: tuple[tuple[str, str], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    build_variables: tuple[tuple[str, str], ...] = ()

    @property
    def with_checks(self) -> Adapter:
        """Return the same adapter, built with the checks of its language. Raises TargetNotFound."""
        if not self.checks:
            raise TargetNotFound(f"{self.name} has no build with checks", "leave out +checks")
        return replace(self, name=f"{self.name}{CHECKS}", build_variables=self.checks)

    @property
    def default_version(self) -> str:
        """The version that is meant when none is named."""
        return self.versions[0]

    def serves(self, version: str) -> bool:
        """True if it can be built around a release."""
        if version in self.versions:
            return True
        if not self.oldest or not _RELEASE.fullmatch(version):
            return False
        return _numbers(version) >= _numbers(self.oldest)

    @property
    def served(self) -> str:
        """Which releases those are, as a line."""
        pinned = ", ".join(self.versions)
        return f"any from {self.oldest} on; tried: {pinned}" if self.oldest else f"it has {pinned}"


def adapters(kind: str = "") -> list[Adapter]:
    """All bundled adapters, by name. Reads their manifests, builds nothing. Raises BadManifest."""
    return [read_adapter(_root(kind) / name) for name in names(kind)]


def find(name: str, version: str | None = None, kind: str = "") -> tuple[Adapter, str]:
    """The adapter of that name, and the version asked for or its default.

    Raises TargetNotFound. The manifests of other adapters may be broken.
    """
    plain = plain_name(name)
    if not _WORD.fullmatch(plain) or not (_root(kind) / plain / MANIFEST).is_file():
        known = names(kind)
        hint = did_you_mean(plain, known) or f"bundled: {', '.join(known)}"
        raise TargetNotFound(f"there is no adapter {name!r}", hint)
    adapter = read_adapter(_root(kind) / plain)
    adapter = adapter if plain == name else adapter.with_checks
    if version is not None and not adapter.serves(version):
        raise TargetNotFound(f"the adapter {name} has no version {version!r}", adapter.served)
    return adapter, version or adapter.default_version


def plain_name(spec: str) -> str:
    """The adapter's name in `name`, `name@version`, `name+checks` and `name+checks@version`."""
    return spec.partition("@")[0].removesuffix(CHECKS)


def version_of(spec: str, kind: str = "") -> str:
    """The version that `name` or `name@version` stands for; empty where it is no adapter's."""
    name, version = plain_name(spec), spec.partition("@")[2]
    if version or name not in names(kind):
        return version
    return read_adapter(_root(kind) / name).default_version


def started_as(what: str, kind: str) -> tuple[str, str]:
    """The name and version of a bundled `NAME` or `NAME:VERSION`; else `what` and no version."""
    name, _, version = what.partition(":")
    if name not in names(kind):
        return what, ""
    return name, version or read_adapter(_root(kind) / name).default_version


def language_of(spec: str, kind: str = "") -> str:
    """The language of what `name` or `name@version` stands for; empty where it is no adapter's."""
    name = plain_name(spec)
    return read_adapter(_root(kind) / name).language if name in names(kind) else ""


def left_out_of(spec: str) -> list[str]:
    """Return a line for each message that the adapter of a target leaves out, with the reason."""
    name = plain_name(spec)
    if name not in names():
        return []
    return [f"{message}: {why}" for message, why in read_adapter(_root("") / name).left_out]


def names(kind: str = "") -> list[str]:
    """The names of the bundled adapters, whatever state their manifests are in."""
    root = _root(kind)
    if not root.is_dir():
        return []
    return sorted(entry.name for entry in root.iterdir() if (entry / MANIFEST).is_file())


def _root(kind: str) -> Traversable:
    """Return the folder with the adapters of a kind: those of codecs, or of CLIENTS."""
    root = data_root() / "adapters"
    return root / kind if kind else root


def read_adapter(folder: Traversable) -> Adapter:
    """Read and check one manifest. Raises BadManifest, which names the key at fault."""
    where = f"adapters/{folder.name}/{MANIFEST}"
    try:
        said = tomllib.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadManifest(f"{where} is not TOML: {error}") from None
    build = _Table(where, "[build]", said.pop("build", {}))
    checks = _Table(where, "[build.checks]", build.table("checks"))
    start = _Table(where, "[start]", said.pop("start", {}))
    evidence = _Table(where, "[evidence]", said.pop("evidence", {}))
    left_out = _Table(where, "[left_out]", said.pop("left_out", {}))
    top = _Table(where, "the top", said)
    adapter = Adapter(
        name=top.text("name"),
        language=top.text("language"),
        licence=top.text("licence"),
        versions=top.texts("versions", needed=True),
        oldest=top.optional("oldest"),
        about=top.text("about"),
        needs=build.texts("needs"),
        requirements=build.texts("requirements"),
        build_command=build.texts("command"),
        start_command=start.texts("command", needed=True),
        evidence_command=evidence.texts("command"),
        folder=folder,
        rewrites=top.texts("rewrites"),
        checks=checks.items(),
        left_out=left_out.items(),
    )
    for table in (top, build, start, evidence):
        table.check_nothing_left()
    _check(adapter, where)
    return adapter


class _Table:
    """A table of a manifest, whose keys are taken one by one until none is left."""

    def __init__(self, where: str, name: str, table: Any) -> None:
        if not isinstance(table, dict):
            raise BadManifest(f"{name} of {where} is not a table")
        self._where = f"{name} of {where}"
        self._left: dict[str, Any] = dict(table)

    def text(self, key: str) -> str:
        value = self._left.pop(key, None)
        if not isinstance(value, str) or not value:
            raise BadManifest(f"{self._where} lacks {key}", f'add {key} = "…"')
        return value

    def optional(self, key: str) -> str:
        return self.text(key) if key in self._left else ""

    def texts(self, key: str, *, needed: bool = False) -> tuple[str, ...]:
        value = self._left.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise BadManifest(f"{key} in {self._where} is not a list of strings")
        if needed and not value:
            raise BadManifest(f"{self._where} lacks {key}", f'add {key} = ["…"]')
        return tuple(value)

    def table(self, key: str) -> Any:
        return self._left.pop(key, {})

    def items(self) -> tuple[tuple[str, str], ...]:
        return tuple((key, self.text(key)) for key in list(self._left))

    def check_nothing_left(self) -> None:
        if self._left:
            raise BadManifest(f"{self._where} has unknown keys: {', '.join(self._left)}")


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a release, by which releases are ordered."""
    return tuple(map(int, re.findall(r"\d+", version)))


def _check(adapter: Adapter, where: str) -> None:
    if adapter.name != adapter.folder.name:
        raise BadManifest(f"{where} says name = {adapter.name!r}", "use the folder's name")
    for word in (adapter.name, *adapter.versions):
        if not _WORD.fullmatch(word):
            raise BadManifest(f"{where}: {shorten(repr(word))} can not be part of a file's name")
    if adapter.oldest and not _RELEASE.fullmatch(adapter.oldest):
        raise BadManifest(f"{where}: oldest is no release: {adapter.oldest!r}")
    for requirement in adapter.requirements:
        if "==" not in requirement:
            raise BadManifest(
                f"{where}: the requirement {requirement!r} is not pinned", "name==version"
            )
    for argument in (
        *adapter.requirements,
        *adapter.build_command,
        *adapter.start_command,
        *adapter.evidence_command,
    ):
        for word in re.findall(r"\{([a-z_]+)\}", argument):
            if word not in PLACEHOLDERS:
                raise BadManifest(
                    f"{where} has an unknown placeholder {{{word}}}",
                    f"known: {', '.join(PLACEHOLDERS)}",
                )


def build(adapter: Adapter, version: str) -> Path:
    """The folder that `version` of the adapter runs in, built if it is not there yet.

    Raises ToolchainMissing and BuildFailed.
    """
    folder = built_folder(adapter, version)
    if (folder / _COMPLETE).is_file():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if not (folder / _COMPLETE).is_file():
            shutil.rmtree(folder, ignore_errors=True)
            _check_toolchain(adapter)
            _copy(adapter.folder, folder)
            with waiting(f"building {adapter.name} {version}, once"):
                _run_named(adapter, version, folder)
            (folder / _COMPLETE).touch()
    return folder


def _run_named(adapter: Adapter, version: str, folder: Path) -> None:
    """Build; an untried release may not exist, or differ from those that were tried."""
    try:
        _run_build(adapter, version, folder)
    except BuildFailed:
        if version in adapter.versions:
            raise
        raise BuildFailed(
            f"{adapter.name}@{version} can't be built: is there such a release?",
            f"tried: {', '.join(adapter.versions)}; the build's output is in {folder / _LOG}",
        ) from None


def start_command(adapter: Adapter, version: str, port: int = 0) -> list[str]:
    """Return the command that starts `version` of the adapter in its built folder.

    `port` is for a server that takes its port as an argument; 0 lets it choose a free one.
    """
    folder = built_folder(adapter, version)
    command = _fill(adapter.start_command, adapter, version, folder)
    return [argument.replace("{port}", str(port)) for argument in command]


def evidence_command(adapter: Adapter, version: str) -> list[str]:
    """Return the command that shows defects of `version`, to be run in its built folder.

    It prints a JSON object for each. The list is empty if the adapter has no such command.
    """
    folder = built_folder(adapter, version)
    return _fill(adapter.evidence_command, adapter, version, folder)


def takes_port(adapter: Adapter) -> bool:
    """True if its command takes the port to listen on."""
    return any("{port}" in argument for argument in adapter.start_command)


def built_folder(adapter: Adapter, version: str) -> Path:
    """Return the folder in which `version` of the adapter is built; it may not exist yet."""
    digest = hashlib.sha256()
    digest.update(f"{platform.python_implementation()} {platform.python_version()}".encode())
    for path, file in _sources(adapter.folder):
        content = file.read_bytes()
        digest.update(f"\n{path} {len(content)}\n".encode())
        digest.update(content)
    name = f"{adapter.name}-{version}-{digest.hexdigest()[:16]}"
    return cache_dir().absolute() / "adapters" / name


def serve_path() -> Path:
    """Return the path of `serve.py`, copied to the cache if this package is in a zip file."""
    source = files("conformance.codecs.testee") / "serve.py"
    if isinstance(source, Path):
        return source.absolute()
    content = source.read_bytes()
    name = f"serve-{hashlib.sha256(content).hexdigest()[:16]}.py"
    path = cache_dir().absolute() / "serve" / name
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        os.replace(file.name, path)
    return path


def _sources(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    """The adapter's own files, in an order of their own: nothing hidden, built or expected."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.startswith(".") or _NOT_SOURCES.fullmatch(entry.name):
            continue
        if entry.is_dir():
            yield from _sources(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", entry


def _copy(source: Traversable, folder: Path) -> None:
    folder.mkdir()
    for path, file in _sources(source):
        copy = folder / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
        if isinstance(file, Path):
            shutil.copymode(file, copy)


def check_programs(adapter: Adapter, *programs: str) -> None:
    """Raise ToolchainMissing if a program is not there that a built adapter is run by."""
    _check_path(f"running {adapter.name}", programs)


def _check_toolchain(adapter: Adapter) -> None:
    _check_path(f"building {adapter.name}", adapter.needs)


def _check_path(what: str, programs: Sequence[str]) -> None:
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        remedies = ", ".join(dict.fromkeys(map(what_has, missing)))
        raise ToolchainMissing(
            f"{what} needs {', '.join(missing)} on the PATH",
            f"install {remedies}; `kafka-conformance doctor` says how",
        )


def _run_build(adapter: Adapter, version: str, folder: Path) -> None:
    what = f"{adapter.name}@{version}"
    if adapter.requirements:
        requirements = _fill(adapter.requirements, adapter, version, folder)
        python = str(_venv_python(folder))
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
        _run([sys.executable, "-m", "venv", str(folder / _VENV)], folder, what)
        _run([*pip, *requirements], folder, what)
    if adapter.build_command:
        command = _fill(adapter.build_command, adapter, version, folder)
        _run(command, folder, what, dict(adapter.build_variables))


def _run(
    command: Sequence[str], folder: Path, what: str, variables: Mapping[str, str] | None = None
) -> None:
    """Run one step of a build; all that it prints goes to a log beside it."""
    log = folder / _LOG
    try:
        with log.open("ab") as output:
            status = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, **(variables or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=BUILD_TIMEOUT_S,
                check=False,
            ).returncode
        failure = f"exit status {status}" if status else ""
    except FileNotFoundError:
        failure = f"there is no program {command[0]}"
    except subprocess.TimeoutExpired:
        failure = f"not done after {BUILD_TIMEOUT_S:g} s"
    if failure:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
        end = "\n".join(shorten(line, 300) for line in lines)
        raise BuildFailed(
            f"the build of {what} failed at `{shorten(' '.join(command))}`: {failure}\n{end}",
            f"all of its output is in {log}",
        )


def _fill(command: Sequence[str], adapter: Adapter, version: str, folder: Path) -> list[str]:
    python = _venv_python(folder) if adapter.requirements else Path(sys.executable)
    values = {
        "version": version,
        "python": str(python),
        "serve": str(serve_path()),
        "folder": str(folder),
    }
    return [_replace(argument, values) for argument in command]


def _replace(argument: str, values: Mapping[str, str]) -> str:
    for word, value in values.items():
        argument = argument.replace(f"{{{word}}}", value)
    return argument


def _venv_python(folder: Path) -> Path:
    return folder / _VENV / "bin" / "python"
