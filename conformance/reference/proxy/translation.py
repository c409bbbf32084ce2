"""What a proxy changes: the versions that it lists, and the addresses that answers name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.api_keys import API_VERSIONS, SASL_AUTHENTICATE, SASL_HANDSHAKE
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.releases import Ranges
from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.schema.layout import Form
from conformance.schema.releases import definitions, request_name

Value = dict[str, Any]
Address = tuple[str, int]
LOGIN = (SASL_HANDSHAKE, SASL_AUTHENTICATE)


class Translation:
    """Answers as the clients of a proxy are to have them.

    The proxy knows the stable versions of a stored release, by default the newest. `addresses` are
    its own, by the id of the broker that each leads to, and `behind` where those are, as far as an
    answer has told it. One that is `plain` changes nothing. Where there are `users` with their
    passwords, clients have to log in, and what they send before that goes no further.
    """

    def __init__(
        self,
        addresses: Mapping[int, Address],
        release: str = "",
        *,
        plain: bool = False,
        users: Mapping[str, str] | None = None,
    ) -> None:
        self.addresses = dict(addresses)
        self.behind: dict[int, Address] = {}
        self.plain = plain
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
        if self.plain or (form.api_key != API_VERSIONS and not tells_addresses(form)):
            return frame
        name, version = form.message, form.version
        header, value, left, read_as = self.codec.decode_response(name, version, frame)
        changed = self.listed(value) if form.api_key == API_VERSIONS else self.readdressed(value)
        if changed == value and not left:
            return frame
        return self.codec.encode_response(name, read_as, header, changed)

    def listed(self, value: Value) -> Value:
        """The versions of each API that both know, of an answer to ApiVersions."""
        kept = []
        for each in value["apiKeys"]:
            low, high = self.versions.get(each["apiKey"], (0, -1))
            low, high = max(low, each["minVersion"]), min(high, each["maxVersion"])
            if low <= high:
                kept.append({**each, "minVersion": low, "maxVersion": high})
        if self.users:  # logins are our own matter, whatever the broker has
            kept = [each for each in kept if each["apiKey"] not in LOGIN]
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
    return _has_host(form.layout)


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
