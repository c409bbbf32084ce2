"""What a run of the gate was asked for, and the checks on it that can be made before it starts."""

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
"""How a file is called that lists what is known of each release up to one."""


class BrokerPlace(NamedTuple):
    """Where a broker is, whether this run started it, and the client properties to log in with.

    `config` is the file for the principal of the run, `other` for one who may do nothing; `brokers`
    are so many as were started. One that a `command` starts is named by that.
    """

    address: str
    started: bool = False
    config: Path | None = None
    other: Path | None = None
    brokers: int = 1
    command: tuple[str, ...] = ()

    def words(self, name: str) -> list[str]:
        """What names it in a command line. One that is started makes files of its own."""
        if self.started:
            return given({"--start": name, "--brokers": self.brokers if self.brokers > 1 else None})
        named = [DASHES, *self.command] if self.command else [name]
        return with_options(named, given({"--config": self.config, "--other-config": self.other}))


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line was given; `timeout` in seconds, `memory` in MiB.

    `clients` are the commands of the clients to be judged, `places` the brokers and `proxies` the
    proxies, by the names of the targets; all are empty where these are codecs. `listen` is where a
    client without a command is awaited. `quick` is for codecs and brokers, the other options behind
    for brokers alone. `name` is what the one target is called in all that is printed and written.
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
        """What is judged: codecs, brokers, clients or proxies."""
        if self.proxies:
            return "proxies"
        return "brokers" if self.places else "clients" if self.clients else "codecs"

    @property
    def selection(self) -> dict[str, list[Any]]:
        """What the run was limited to; empty where the whole suite is run."""
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
        """What a target says of itself; of a broker that was started, our name for it, no port."""
        place = self.places.get(target)
        if place is None or not place.started:
            return hello
        from conformance.brokers.started.program import name_and_version

        name, version = name_and_version(target)
        return msgspec.structs.replace(hello, name=name, version=version)

    def again(self, target: str) -> list[str]:
        """The words of the command that judges it again, as far as a case depends on them."""
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
        """What the processes of a run on one target must agree on."""
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
        """Fail now where results could not be written in the end. Raises ConformanceError."""
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
        """The other forms of the results that were asked for."""
        return Forms.chosen(self.junit, self.summary, self.badge, self.annotate)

    def known_file(self, target: str) -> Path | None:
        """The list of failures that are known of a target, if there is one or one is to be made."""
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
        """The entries of that list. Raises KnownError."""
        file = self.known_file(target)
        if file is None or (self.update_known and not file.exists()):
            return []
        return read_known(file)

    def known_of_older(self, target: str) -> list[Known]:
        """What is known of each release up to the one that a file `known-until-…` names."""
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
