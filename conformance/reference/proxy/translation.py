"""The changes of a proxy: listed versions, brokers' addresses and node ids, and clients' ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.api_keys import API_VERSIONS, SASL_AUTHENTICATE, SASL_HANDSHAKE
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.releases import Ranges
from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.reference.proxy.node_ids import has_nodes, renumbered
from conformance.schema.layout import Form
from conformance.schema.releases import definitions, request_name
from conformance.wire.errors import WireError

Value = dict[str, Any]
Address = tuple[str, int]
ADDRESSES, NODE_IDS, CLIENT_IDS = "addresses", "node-ids", "client-id"
VERSIONS, NOTHING = "api-versions", "none"
PORTS = "ports"
"""Said beside ADDRESSES: only ports are changed, by one proxy beside each broker."""
REWRITES = (ADDRESSES, NODE_IDS, CLIENT_IDS, VERSIONS)
"""The changes that a proxy may declare, if not NOTHING."""
USUAL = (ADDRESSES, VERSIONS)
"""The changes of a proxy that declares none."""
MORE = 100
"""The number that is added to ids of brokers, if we change them."""
RENAMED = b"proxied-"
"""The prefix of client ids in front of the broker, if we change them."""
_TELLING: dict[tuple[str, int, tuple[str, ...]], bool] = {}
LOGIN = (SASL_HANDSHAKE, SASL_AUTHENTICATE)


class Translation:
    """The translation of answers for the clients of a proxy.

    The proxy knows the stable versions of a stored release, by default the newest. `addresses` are
    its own, by the id of the broker that each leads to, and `behind` those brokers' addresses, as
    far as an answer has named them. It `changes` what `rewrites` names. If there are `users` with
    their passwords, clients have to log in, and their earlier requests are not forwarded.
    """

    def __init__(
        self,
        addresses: Mapping[int, Address],
        release: str = "",
        *,
        rewrites: Iterable[str] = USUAL,
        users: Mapping[str, str] | None = None,
    ) -> None:
        self.addresses = dict(addresses)
        self.behind: dict[int, Address] = {}
        self.changes = frozenset(rewrites)
        self.codec: PlainCodec = ReferenceCodec(release)
        self.versions = known_versions(release)
        self.users = users
        self._gate = Broker(self.versions, users=users) if users else None

    def session(self) -> Session | None:
        """Return the session that a client logs in to; None if no login is demanded."""
        return self._gate.session() if self._gate else None

    def form(self, api_key: int, version: int, kind: str) -> Form | None:
        """Return the form of a "Request" or "Response"; None if this proxy does not know it."""
        low, high = self.versions.get(api_key, (0, -1))
        name = request_name(self.codec.release, api_key, version)
        if name is None or not low <= version <= high:
            return None
        return self.codec.form(name.removesuffix("Request") + kind, version)

    def translate(self, form: Form, frame: bytes) -> bytes:
        """Return an answer in the client's form; unchanged if there is nothing to change."""
        if not self.is_changed(form):
            return frame
        name, version = form.message, form.version
        header, value, left, read_as = self.codec.decode_response(name, version, frame)
        changed = self.retold(name, value)
        if changed == value and not left:
            return frame
        return self.codec.encode_response(name, read_as, header, changed)

    def is_changed(self, form: Form) -> bool:
        """True if there may be something to change in such an answer."""
        if form.api_key == API_VERSIONS:
            return VERSIONS in self.changes or self.users is not None
        renumbers = NODE_IDS in self.changes and has_nodes(form.message)
        return renumbers or (ADDRESSES in self.changes and tells_addresses(form))

    def retold(self, message: str, value: Value) -> Value:
        """Return an answer with our versions, our addresses and our ids of brokers."""
        if message == "ApiVersionsResponse":
            value = self.listed(value) if VERSIONS in self.changes else value
            return self.with_logins(value) if self.users and not value["errorCode"] else value
        if ADDRESSES in self.changes:
            value = self.readdressed(value)
        if NODE_IDS in self.changes:
            value = self.renumbered(message, value)
        return value

    def renumbered(self, message: str, value: Value) -> Value:
        """Return an answer with our ids of brokers."""
        return renumbered(message, value, lambda node: min(node + MORE, 2**31 - 1))

    def asked(self, frame: bytes) -> bytes:
        """Return a request in the broker's form; unchanged if there is nothing to change."""
        key, version = int.from_bytes(frame[:2], "big"), int.from_bytes(frame[2:4], "big")
        form = self.form(key, version, "Request")
        if form is None:
            return frame
        if NODE_IDS in self.changes and has_nodes(form.message):
            frame = self.taken_back(form, frame)
        return self.renamed(frame) if CLIENT_IDS in self.changes else frame

    def taken_back(self, form: Form, frame: bytes) -> bytes:
        """Return a request with the brokers' own ids in place of ours."""
        try:
            header, value, left = self.codec.decode_request(frame)
        except WireError:
            return frame
        changed = renumbered(form.message, value, lambda node: node - MORE if node > MORE else node)
        if changed == value or left:
            return frame
        return self.codec.encode_request(form.message, form.version, header, changed)

    def renamed(self, frame: bytes) -> bytes:
        """Return a request with another client id, unless that is null."""
        size = int.from_bytes(frame[8:10], "big", signed=True)
        if size < 0:
            return frame
        return frame[:8] + (size + len(RENAMED)).to_bytes(2, "big") + RENAMED + frame[10:]

    def listed(self, value: Value) -> Value:
        """Return an answer to ApiVersions with the versions of each API that both sides have."""
        kept = []
        for each in value["apiKeys"]:
            low, high = self.versions.get(each["apiKey"], (0, -1))
            low, high = max(low, each["minVersion"]), min(high, each["maxVersion"])
            if low <= high:
                kept.append({**each, "minVersion": low, "maxVersion": high})
        return {**value, "apiKeys": kept}

    def with_logins(self, value: Value) -> Value:
        """Return the list with our own versions of a login, whatever the broker has."""
        kept = [each for each in value["apiKeys"] if each["apiKey"] not in LOGIN]
        for key in LOGIN:
            low, high = self.versions[key]
            kept.append({"apiKey": key, "minVersion": low, "maxVersion": high})
        return {**value, "apiKeys": kept}

    def readdressed(self, value: Any) -> Any:
        """Return an answer with our addresses in place of those of the brokers that it names."""
        if isinstance(value, list):
            return [self.readdressed(each) for each in value]
        if not isinstance(value, dict):
            return value
        found = {name: self.readdressed(each) for name, each in value.items()}
        if "host" in found and "port" in found:
            found |= self.address_for(found)
        return found

    def address_for(self, broker: Value) -> Value:
        """Return our host and port for a broker in an answer; nothing for an unknown broker."""
        node = broker.get(node_field(broker))
        if node not in self.addresses:
            return {}
        self.behind[node] = broker["host"], broker["port"]
        host, port = self.addresses[node]
        return {"host": host, "port": port}


def node_field(broker: Value) -> str:
    """Return the name of an answer's field with the id of a broker."""
    return "brokerId" if "brokerId" in broker else "nodeId"


def tells_addresses(form: Form) -> bool:
    """True if an answer of this form may name hosts."""
    key = form.message, form.version, form.releases
    if key not in _TELLING:
        _TELLING[key] = _has_host(form.layout)
    return _TELLING[key]


def _has_host(layout: Any) -> bool:
    for item in (*layout.fields, *layout.tagged):
        type_ = item.type.element or item.type
        if item.name == "host" or (type_.struct is not None and _has_host(type_.struct)):
            return True
    return False


def known_versions(release: str = "") -> Ranges:
    """Return the stable versions of each API that a release has for clients, by api key."""
    holder = definitions(release)
    found: dict[int, tuple[int, int]] = {}
    for key, name in holder.requests.items():
        request = holder[name]
        high = request.valid.high - (1 if request.latest_unstable else 0)
        if "broker" in request.listeners and high >= request.valid.low:
            found[key] = (request.valid.low, high)
    return found
