"""`kafka-conformance targets`: codecs, clients, brokers and proxies that are judged by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace

import click
from rich.markup import escape
from rich.table import Column, Table

from conformance import __version__
from conformance.cli.common import as_json_option, console, examples, print_json
from conformance.codecs.resolve import OUR_OWN
from conformance.targets import registry

_USES = {
    "codec": "kafka-conformance codec NAME, or NAME@VERSION",
    "client": "kafka-conformance client NAME, or NAME@VERSION",
    "broker": "kafka-conformance broker --start NAME, or NAME:VERSION",
    "proxy": "kafka-conformance proxy --start NAME, or NAME:VERSION",
}
_COLUMNS = ("language", "versions", "needs", "about")


@dataclass(frozen=True, slots=True)
class Named:
    """A target with a name. `oldest` is as in a manifest; `checks` if NAME+checks exists."""

    kind: str
    name: str
    language: str
    versions: tuple[str, ...]
    oldest: str
    needs: tuple[str, ...]
    checks: bool
    about: str


@click.command("targets", epilog=examples("targets", "targets --json"))
@as_json_option
def command(as_json: bool) -> None:
    """List what can be judged by name: codecs, clients, brokers and proxies."""
    found = [*_codecs(), *_clients(), *_brokers(), *_proxies()]
    if as_json:
        print_json(map(asdict, found))
        return
    shown = console()
    for kind, use in _USES.items():
        shown.print(use, markup=False)
        shown.print(_table(kind, (each for each in found if each.kind == kind)))


def _codecs() -> Iterator[Named]:
    for name, about in OUR_OWN.items():
        yield _our_own("codec", name, about)
    yield from _bundled("codec", registry.adapters())


def _clients() -> Iterator[Named]:
    yield _our_own("client", "reference", "our own, which keeps every rule")
    yield from _bundled("client", registry.adapters(registry.CLIENTS))


def _brokers() -> Iterator[Named]:
    from conformance.brokers.started.starting import KAFKA, REFERENCE, SECURED_KAFKA
    from conformance.reference.broker.releases import PLAYED

    about = "our own, which keeps every rule, as a broker of that release"
    played = tuple(PLAYED)[::-1]
    yield Named("broker", REFERENCE, "python", played, "", (), checks=False, about=about)
    for each in _bundled("broker", registry.adapters(registry.BROKERS)):
        yield each
        if each.name == KAFKA:
            yield replace(each, name=SECURED_KAFKA, about=f"{each.about}, with TLS, SASL and ACLs")


def _proxies() -> Iterator[Named]:
    from conformance.proxies.security import SECURED

    about = "our own, which keeps every rule"
    yield _our_own("proxy", "reference", about)
    yield _our_own("proxy", SECURED, f"{about}, with TLS on both sides and a login")
    yield from _bundled("proxy", registry.adapters(registry.PROXIES))


def _our_own(kind: str, name: str, about: str) -> Named:
    return Named(kind, name, "python", (__version__,), "", (), checks=False, about=about)


def _bundled(kind: str, adapters: Iterable[registry.Adapter]) -> Iterator[Named]:
    for each in adapters:
        yield Named(
            kind,
            each.name,
            each.language,
            each.versions,
            each.oldest,
            each.needs,
            checks=bool(each.checks),
            about=each.about,
        )


def _table(kind: str, found: Iterable[Named]) -> Table:
    table = Table(*(Column(name, overflow="fold") for name in (kind, *_COLUMNS)))
    for each in found:
        table.add_row(
            escape(each.name + (f" [{registry.CHECKS}]" if each.checks else "")),
            each.language,
            ", ".join(each.versions),
            ", ".join(each.needs),
            escape(each.about),
        )
    return table
