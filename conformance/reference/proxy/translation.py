"""What a proxy changes: listed versions, brokers' addresses and node ids, and clients' ids."""

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
"""Said beside ADDRESSES: of those the ports alone, by one proxy beside each broker."""
REWRITES = (ADDRESSES, NODE_IDS, CLIENT_IDS, VERSIONS)
"""What a proxy may say that it changes, if not NOTHING."""
USUAL = (ADDRESSES, VERSIONS)
"""What it is taken to say where it says nothing."""
MORE = 100
"""So much more is the id of a broker than that of the same one behind us, where we change it."""
RENAMED = b"proxied-"
"""How a client's id begins behind us, where we change it."""
_TELLING: dict[tuple[str, int, tuple[str, ...]], bool] = {}
LOGIN = (SASL_HANDSHAKE, SASL_AUTHENTICATE)


class Translation:
    """Answers as the clients of a proxy are to have them.

    The proxy knows the stable versions of a stored release, by default the newest. `addresses` are
    its own, by the id of the broker that each leads to, and `behind` where those are, as far as an
    answer has told it. It `changes` what `rewrites` names. Where there are `users` with their
    passwords, clients have to log in, and what they send before that goes no further.
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
        """What a client has to log in to; None where nobody has to."""
        return self._gate.session() if self._gate else None

    def form(self, api_key: int, version: int, kind: str) -> Form | None:
        """The form of a "Request" or "Response"; None of what this proxy does not know."""
        low, high = self.versions.get(api_key, (0, -1))
        name = request_name(self.codec.release, api_key, version)
        if name is None or not low <= version <= high:
            return None
        return self.codec.form(name.removesuffix("Request") + kind, version)

    def translate(self, form: Form, frame: bytes) -> bytes:
        """An answer as a client is to have it; as it came where there is nothing to change."""
        if not self.is_changed(form):
            return frame
        name, version = form.message, form.version
        header, value, left, read_as = self.codec.decode_response(name, version, frame)
        changed = self.retold(name, value)
        if changed == value and not left:
            return frame
        return self.codec.encode_response(name, read_as, header, changed)

    def is_changed(self, form: Form) -> bool:
        """Whether there may be something to change in such an answer."""
        if form.api_key == API_VERSIONS:
            return VERSIONS in self.changes or self.users is not None
        renumbers = NODE_IDS in self.changes and has_nodes(form.message)
        return renumbers or (ADDRESSES in self.changes and tells_addresses(form))

    def retold(self, message: str, value: Value) -> Value:
        """The same answer with our versions, our addresses and our ids of brokers."""
        if message == "ApiVersionsResponse":
            value = self.listed(value) if VERSIONS in self.changes else value
            return self.with_logins(value) if self.users and not value["errorCode"] else value
        if ADDRESSES in self.changes:
            value = self.readdressed(value)
        if NODE_IDS in self.changes:
            value = self.renumbered(message, value)
        return value

    def renumbered(self, message: str, value: Value) -> Value:
        """The same answer with our ids of brokers."""
        return renumbered(message, value, lambda node: min(node + MORE, 2**31 - 1))

    def asked(self, frame: bytes) -> bytes:
        """A request as the broker is to have it; as it came where there is nothing to change."""
        key, version = int.from_bytes(frame[:2], "big"), int.from_bytes(frame[2:4], "big")
        form = self.form(key, version, "Request")
        if form is None:
            return frame
        if NODE_IDS in self.changes and has_nodes(form.message):
            frame = self.taken_back(form, frame)
        return self.renamed(frame) if CLIENT_IDS in self.changes else frame

    def taken_back(self, form: Form, frame: bytes) -> bytes:
        """A request with the brokers' own ids for ours."""
        try:
            header, value, left = self.codec.decode_request(frame)
        except WireError:
            return frame
        changed = renumbered(form.message, value, lambda node: node - MORE if node > MORE else node)
        if changed == value or left:
            return frame
        return self.codec.encode_request(form.message, form.version, header, changed)

    def renamed(self, frame: bytes) -> bytes:
        """A request with another client id, if it has one at all."""
        size = int.from_bytes(frame[8:10], "big", signed=True)
        if size < 0:
            return frame
        return frame[:8] + (size + len(RENAMED)).to_bytes(2, "big") + RENAMED + frame[10:]

    def listed(self, value: Value) -> Value:
        """The versions of each API that both know, of an answer to ApiVersions."""
        kept = []
        for each in value["apiKeys"]:
            low, high = self.versions.get(each["apiKey"], (0, -1))
            low, high = max(low, each["minVersion"]), min(high, each["maxVersion"])
            if low <= high:
                kept.append({**each, "minVersion": low, "maxVersion": high})
        return {**value, "apiKeys": kept}

    def with_logins(self, value: Value) -> Value:
        """The same list with our own versions of a login, whatever the broker has."""
        kept = [each for each in value["apiKeys"] if each["apiKey"] not in LOGIN]
        for key in LOGIN:
            low, high = self.versions[key]
            kept.append({"apiKey": key, "minVersion": low, "maxVersion": high})
        return {**value, "apiKeys": kept}

    def readdressed(self, value: Any) -> Any:
        """The same answer with our addresses for those of the brokers that it names."""
        if isinstance(value, list):
            return [self.readdressed(each) for each in value]
        if not isinstance(value, dict):
            return value
        found = {name: self.readdressed(each) for name, each in value.items()}
        if "host" in found and "port" in found:
            found |= self.address_for(found)
        return found

    def address_for(self, broker: Value) -> Value:
        """Host and port for a broker that an answer names; those of nobody stay as they are."""
        node = broker.get(node_field(broker))
        if node not in self.addresses:
            return {}
        self.behind[node] = broker["host"], broker["port"]
        host, port = self.addresses[node]
        return {"host": host, "port": port}


def node_field(broker: Value) -> str:
    """How an answer calls the id of a broker that it names."""
    return "brokerId" if "brokerId" in broker else "nodeId"


def tells_addresses(form: Form) -> bool:
    """Whether an answer of this form may name hosts."""
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
    """The stable versions of each API that a release has for clients, by api key."""
    holder = definitions(release)
    found: dict[int, tuple[int, int]] = {}
    for key, name in holder.requests.items():
        request = holder[name]
        high = request.valid.high - (1 if request.latest_unstable else 0)
        if "broker" in request.listeners and high >= request.valid.low:
            found[key] = (request.valid.low, high)
    return found
