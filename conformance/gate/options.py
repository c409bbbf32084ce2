"""Options of a run of the gate, and the checks on them that can be made before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from conformance.data import data_root
from conformance.errors import ConformanceError
from conformance.gate.kinds.codec import Settings
from conformance.proxies.place import ProxyPlace
from conformance.reporting.forms import AUTO, Forms
from conformance.results.command_lines import DASHES, PROXY_PROFILE, given, with_options, words_of
from conformance.results.files import check_writable
from conformance.results.known import Known, read_known
from conformance.results.naming import short_name
from conformance.schema.releases import release_order
from conformance.targets.registry import (
    BROKERS,
    CHECKS,
    CLIENTS,
    PROXIES,
    plain_name,
    version_of,
)
from conformance.testee_protocol import Hello

BUNDLED = "bundled"
UNTIL = "known-until-"
"""The beginning of the name of a file that lists known failures of each release up to one."""


class BrokerPlace(NamedTuple):
    """A broker's address, whether this run started it, and the client properties to log in with.

    `config` is the file for the principal of the run, `other` for a principal without any
    permission; `brokers` is how many brokers were started. `command` is the command that starts the
    broker, if one does; it names the broker then.
    """

    address: str
    started: bool = False
    config: Path | None = None
    other: Path | None = None
    brokers: int = 1
    command: tuple[str, ...] = ()

    def words(self, name: str) -> list[str]:
        """Return the words that name the broker in a command line.

        A started broker makes its client properties itself, so they are not named.
        """
        if self.started:
            return given({"--start": name, "--brokers": self.brokers if self.brokers > 1 else None})
        named = [DASHES, *self.command] if self.command else [name]
        return with_options(named, given({"--config": self.config, "--other-config": self.other}))


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of the command line; `timeout` in seconds, `memory` in MiB.

    `clients` are the commands of the clients to be judged, `places` the brokers and `proxies` the
    proxies, by the names of the targets; all are empty if the targets are codecs. `listen` is the
    address at which a client without a command is awaited. `quick` is for codecs and brokers, the
    other options after it for brokers alone. `name` is the name of the one target in all that is
    printed and written.
    """

    rules: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    cases: tuple[str, ...] = ()
    timeout: float = 10.0
    memory: int = 2048
    profile: str = "spec"
    known: str | None = None
    update_known: bool = False
    results: Path | None = None
    reports: Path | None = None
    junit: Path | None = None
    allure: Path | None = None
    summary: Path | None = None
    badge: Path | None = None
    annotate: str = AUTO
    workers: str = "0"
    keyword: str = ""
    skip_missing: bool = False
    verbose: bool = False
    quiet: bool = False
    name: str = ""
    clients: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    listen: str = ""
    places: Mapping[str, BrokerPlace] = field(default_factory=dict)
    proxies: Mapping[str, ProxyPlace] = field(default_factory=dict)
    writes: bool = False
    quick: bool = False
    exclude: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Return the kind of targets: codecs, brokers, clients or proxies."""
        if self.proxies:
            return "proxies"
        return "brokers" if self.places else "clients" if self.clients else "codecs"

    @property
    def selection(self) -> dict[str, list[Any]]:
        """Return the limits of the run by name; empty if the whole suite is run."""
        chosen: dict[str, tuple[Any, ...]] = {
            "rules": self.rules,
            "classes": self.classes,
            "messages": self.messages,
            "versions": self.versions,
            "cases": self.cases,
            "keyword": (self.keyword,) if self.keyword else (),
            "exclude": self.exclude,
            "quick": (True,) if self.quick else (),
        }
        return {name: list(values) for name, values in chosen.items() if values}

    def called(self, target: str) -> str:
        """Return what a person would call a target."""
        return self.name or short_name(target)

    def named(self, target: str, hello: Hello) -> Hello:
        """Return a target's hello; if it is a started broker, with our name and version for it.

        That name has no port.
        """
        place = self.places.get(target)
        if place is None or not place.started:
            return hello
        from conformance.brokers.started.program import name_and_version

        name, version = name_and_version(target)
        return msgspec.structs.replace(hello, name=name, version=version)

    def again(self, target: str) -> list[str]:
        """Return the words of the command that judges a target again.

        They hold the options on which a case depends, and no others.
        """
        limits = given({"--timeout": self.timeout, "--memory": self.memory})
        usual = PROXY_PROFILE if self.proxies else "spec"
        profile = [] if self.profile == usual else ["--profile", self.profile]
        return with_options(self._judging(target), [*profile, *limits])

    def _judging(self, target: str) -> list[str]:
        if self.listen:
            return ["client", *given({"--listen": self.listen})]
        if proxy := self.proxies.get(target):
            return ["proxy", *proxy.words()]
        if place := self.places.get(target):
            writes = given({"--allow-writes": self.writes})
            return with_options(["broker", *place.words(target)], writes)
        return words_of("client" if target in self.clients else "codec", target)

    def settings(self, spec: str | None, program: tuple[str, ...], parts: str) -> Settings:
        """Return the settings on which the processes of a run on one target have to agree."""
        place = self.places.get(spec or "")
        return Settings(
            spec=None if place or self.proxies else spec,
            command=() if self.clients else program,
            client=self.clients.get(spec or "", ()),
            listen=self.listen,
            proxy=self.proxies.get(spec or ""),
            endpoint=place.address if place else "",
            config=str(place.config or "") if place else "",
            other_config=str(place.other or "") if place else "",
            writes=self.writes,
            quick=self.quick,
            exclude=self.exclude,
            profile=self.profile,
            rules=self.rules,
            classes=self.classes,
            messages=self.messages,
            versions=self.versions,
            cases=self.cases,
            timeout_s=self.timeout,
            memory_mib=self.memory,
            parts=parts,
        )

    def check_outputs(self) -> None:
        """Raise ConformanceError now if results can't be written at the end."""
        if self.results is not None:
            check_writable(self.results)
        self.forms().check()
        if self.allure is not None:
            try:
                self.allure.mkdir(parents=True, exist_ok=True)
                probe = self.allure / ".writable"
                probe.touch()
                probe.unlink()
            except OSError as error:
                raise ConformanceError(
                    f"{self.allure}: {error.strerror}", "choose a folder that can be written"
                ) from None

    def forms(self) -> Forms:
        """Return the other forms of the results that were asked for."""
        return Forms.chosen(self.junit, self.summary, self.badge, self.annotate)

    def known_file(self, target: str) -> Path | None:
        """Return the list of known failures of a target, if it exists or is to be made."""
        if self.known != BUNDLED:
            return Path(self.known) if self.known else None
        folder = data_root() / "adapters"
        folder = folder / CLIENTS if target in self.clients else folder
        folder = folder / BROKERS if target in self.places else folder
        folder = folder / PROXIES if target in self.proxies else folder
        started = self.places or self.proxies
        name = target.partition(":")[0].removeprefix("secured-") if started else target
        adapter = folder / plain_name(name)
        file = adapter / ("known+checks.toml" if CHECKS in name else "known.toml")
        wanted = file.is_file() or (self.update_known and adapter.is_dir())
        return Path(str(file)) if wanted else None

    def known_entries(self, target: str) -> list[Known]:
        """Return the entries of `known_file`. Raises KnownError."""
        file = self.known_file(target)
        if file is None or (self.update_known and not file.exists()):
            return []
        return read_known(file)

    def known_of_older(self, target: str) -> list[Known]:
        """Return the known failures of each release up to the one that a file `known-until-…`
        names.

        Files that name a release older than the target's are left out.
        """
        if self.known != BUNDLED or self.kind not in ("codecs", "brokers"):
            return []
        folder = Path(str(data_root() / "adapters"))
        if target in self.places:
            name, _, version = target.partition(":")
            name = name.removeprefix("secured-")
            folder, version = folder / BROKERS / name, version or version_of(name, BROKERS)
        else:
            folder, version = folder / plain_name(target), version_of(target)
        return [
            entry
            for file in sorted(folder.glob(f"{UNTIL}*.toml"))
            if release_order(version) <= release_order(file.stem.removeprefix(UNTIL))
            for entry in read_known(file)
        ]
