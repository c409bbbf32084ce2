"""Mutants whose addresses are left, lost or mixed up."""

from __future__ import annotations

from typing import Any

from conformance.proxies.mutants.mutant import ProxyMutant
from conformance.reference.proxy.node_ids import renumbered
from conformance.reference.proxy.translation import (
    ADDRESSES,
    MORE,
    NODE_IDS,
    REWRITES,
    VERSIONS,
    node_field,
)
from conformance.schema.layout import Form
from conformance.wire.errors import EncodeError

Value = dict[str, Any]


class _NotIn(ProxyMutant):
    """Leaves the addresses of some answers as they are."""

    message = ""
    versions_left = range(100)

    def translate(self, form: Form, frame: bytes) -> bytes:
        left = form.message == self.message and form.version in self.versions_left
        return frame if left else super().translate(form, frame)


class MetadataLeft(_NotIn, breaks="proxy-addresses.in-metadata"):
    """Leaves the addresses in Metadata as they are."""

    implies = (
        "proxy-addresses.unusual-hosts",
        "proxy-addresses.lead-to-their-broker",
        "proxy-addresses.moved-broker-is-followed",
    )
    message = "MetadataResponse"


class FlexibleMetadataLeft(_NotIn, breaks="proxy-addresses.in-metadata"):
    """Leaves the addresses in flexible versions of Metadata as they are."""

    implies = MetadataLeft.implies
    message = "MetadataResponse"
    versions_left = range(9, 100)


class FirstBrokerAlone(ProxyMutant, breaks="proxy-addresses.in-metadata"):
    """Changes the address of broker 1 alone."""

    implies = (
        *MetadataLeft.implies,
        "proxy-addresses.in-coordinators",
        "proxy-addresses.in-cluster-description",
        "proxy-addresses.in-node-endpoints",
    )

    def address_for(self, broker: Value) -> Value:
        return super().address_for(broker) if broker.get(node_field(broker)) == 1 else {}


class CoordinatorsLeft(_NotIn, breaks="proxy-addresses.in-coordinators"):
    """Leaves the addresses in FindCoordinator as they are."""

    message = "FindCoordinatorResponse"


class BatchedCoordinatorsLeft(_NotIn, breaks="proxy-addresses.in-coordinators"):
    """Changes the one coordinator of FindCoordinator, and none of an array."""

    message = "FindCoordinatorResponse"
    versions_left = range(4, 100)


class ClusterLeft(_NotIn, breaks="proxy-addresses.in-cluster-description"):
    """Leaves the addresses in DescribeCluster as they are."""

    message = "DescribeClusterResponse"


class HostsAlone(ProxyMutant, breaks="proxy-addresses.lead-to-their-broker"):
    """Changes hosts, and leaves ports as they are."""

    implies = (
        "proxy-addresses.moved-broker-is-followed",
        "proxy-addresses.unusual-hosts",
    )

    def address_for(self, broker: Value) -> Value:
        found = super().address_for(broker)
        return {"host": found["host"]} if found else {}


class ProduceEndpointsLeft(_NotIn, breaks="proxy-addresses.in-node-endpoints"):
    """Leaves the node endpoints in Produce as they are."""

    message = "ProduceResponse"


class FetchEndpointsLeft(_NotIn, breaks="proxy-addresses.in-node-endpoints"):
    """Leaves the node endpoints in Fetch as they are."""

    message = "FetchResponse"


class ShareEndpointsLeft(_NotIn, breaks="proxy-addresses.in-node-endpoints"):
    """Leaves the node endpoints in ShareFetch as they are."""

    message = "ShareFetchResponse"


class EndpointsLeftOut(ProxyMutant, breaks="proxy-addresses.rest-stays"):
    """Leaves out the node endpoints, whose addresses it does not know how to change."""

    def readdressed(self, value: Any) -> Any:
        found = super().readdressed(value)
        if isinstance(found, dict) and found.get("nodeEndpoints"):
            found["nodeEndpoints"] = []
        return found


class EveryBrokerIsTheFirst(ProxyMutant, breaks="proxy-addresses.lead-to-their-broker"):
    """Tells the address of broker 1 for every broker."""

    def address_for(self, broker: Value) -> Value:
        if not super().address_for(broker):
            return {}
        host, port = self.addresses[1]
        return {"host": host, "port": port}


class BrokersInTurn(ProxyMutant, breaks="proxy-addresses.lead-to-their-broker"):
    """Tells each broker the address of the next one."""

    def address_for(self, broker: Value) -> Value:
        if not super().address_for(broker):
            return {}
        host, port = self.addresses[broker[node_field(broker)] % len(self.addresses) + 1]
        return {"host": host, "port": port}


class FirstPlacesKept(ProxyMutant, breaks="proxy-addresses.moved-broker-is-followed"):
    """Keeps to where brokers were when it first heard of them."""

    def address_for(self, broker: Value) -> Value:
        before = dict(self.behind)
        found = super().address_for(broker)
        self.behind |= before
        return found


class MetadataIsNotHeard(ProxyMutant, breaks="proxy-addresses.moved-broker-is-followed"):
    """Keeps to where it was told at the start that brokers are."""

    def address_for(self, broker: Value) -> Value:
        found = super().address_for(broker)
        self.behind.clear()
        return found


class ErrorsGetAnAddress(ProxyMutant, breaks="proxy-addresses.errors-name-nobody"):
    """Tells its first address for a coordinator that could not be found."""

    def address_for(self, broker: Value) -> Value:
        if broker.get("nodeId") == -1:
            host, port = self.addresses[1]
            return {"host": host, "port": port}
        return super().address_for(broker)


class ErrorsEndConnection(ProxyMutant, breaks="proxy-addresses.errors-name-nobody"):
    """Ends the connection where broker -1 is to be told."""

    def translate(self, form: Form, frame: bytes) -> bytes:
        if form.message == "FindCoordinatorResponse":
            _, value, _, _ = self.codec.decode_response(form.message, form.version, frame)
            for each in value.get("coordinators", [value]):
                if each["nodeId"] < 0:
                    raise EncodeError("no such broker")
        return super().translate(form, frame)


class RacksDropped(ProxyMutant, breaks="proxy-addresses.rest-stays"):
    """Drops the racks of brokers."""

    def address_for(self, broker: Value) -> Value:
        found = super().address_for(broker)
        return {**found, "rack": None} if "rack" in broker else found


class MessagesOfNullEmpty(ProxyMutant, breaks="proxy-addresses.rest-stays"):
    """Tells an empty error message for null."""

    implies = ("proxy-messages.answers-keep-meaning",)

    def readdressed(self, value: Any) -> Any:
        found = super().readdressed(value)
        if isinstance(found, dict) and found.get("errorMessage", "") is None:
            found["errorMessage"] = ""
        return found


class BrokersRenumbered(ProxyMutant, breaks="proxy-addresses.rest-stays"):
    """Tells other ids of brokers than they have."""

    implies = (
        "proxy-addresses.unusual-hosts",
        "proxy-addresses.lead-to-their-broker",
        "proxy-addresses.moved-broker-is-followed",
    )

    def address_for(self, broker: Value) -> Value:
        found = super().address_for(broker)
        if not found:
            return found
        name = node_field(broker)
        return {**found, name: broker[name] + 100}


class LongHostsLeft(ProxyMutant, breaks="proxy-addresses.unusual-hosts"):
    """Leaves an address whose host is longer than a hundred letters."""

    def address_for(self, broker: Value) -> Value:
        return {} if len(broker["host"]) > 100 else super().address_for(broker)


class HostsCutAtColon(ProxyMutant, breaks="proxy-addresses.unusual-hosts"):
    """Takes an address apart at its first colon, and ends the connection on IPv6."""

    def address_for(self, broker: Value) -> Value:
        text = f"{broker['host']}:{broker['port']}"
        host, _, port = text.partition(":")
        if port.lstrip("-").isdigit():
            return super().address_for(broker)
        return {"host": host, "port": 0}


class AddressesUndeclared(ProxyMutant, breaks="proxy-messages.answers-keep-meaning"):
    """Says that it changes ids of brokers and versions, and tells its own addresses as well."""

    rewrites = (NODE_IDS, VERSIONS)
    does = (ADDRESSES, NODE_IDS, VERSIONS)


class NodeIdsUndeclared(ProxyMutant, breaks="proxy-addresses.rest-stays"):
    """Says nothing of ids of brokers, and tells others than they have."""

    implies = (
        *BrokersRenumbered.implies,
        "proxy-messages.answers-keep-meaning",
        "proxy-messages.requests-keep-meaning",
    )
    does = (ADDRESSES, NODE_IDS, VERSIONS)


class _Renumbering(ProxyMutant):
    """Changes the ids of brokers, as it says."""

    rewrites = REWRITES


class IdsInMetadataAlone(_Renumbering, breaks="proxy-addresses.node-ids-one-to-one"):
    """Changes the ids of brokers in Metadata alone."""

    def renumbered(self, message: str, value: Value) -> Value:
        return super().renumbered(message, value) if message == "MetadataResponse" else value


class IdsOfLeadersLeft(_Renumbering, breaks="proxy-addresses.node-ids-one-to-one"):
    """Changes the ids of brokers where it changes their addresses, and leaves those of leaders."""

    def renumbered(self, message: str, value: Value) -> Value:
        found = super().renumbered(message, value)
        return {**found, **{name: value[name] for name in ("topics", "responses") if name in value}}


class TwoBrokersOfOneId(_Renumbering, breaks="proxy-addresses.node-ids-one-to-one"):
    """Tells the id of broker 2 of broker 3 as well."""

    def renumbered(self, message: str, value: Value) -> Value:
        return renumbered(message, value, lambda node: MORE + min(node, 2))


class ConfigNamesLeft(_Renumbering, breaks="proxy-addresses.node-ids-one-to-one"):
    """Leaves the names of brokers in configs, which are their ids."""

    def renumbered(self, message: str, value: Value) -> Value:
        return (
            value if message.startswith("DescribeConfigs") else super().renumbered(message, value)
        )


class NobodyRenumbered(_Renumbering, breaks="proxy-addresses.errors-name-nobody"):
    """Tells another id than -1 where there is no broker."""

    def address_for(self, broker: Value) -> Value:
        nobody = broker.get(node_field(broker), 0) < 0
        return {node_field(broker): 0} if nobody else super().address_for(broker)


class IdsNotTakenBack(_Renumbering, breaks="proxy-addresses.node-ids-taken-back"):
    """Forwards the ids of its own that a request names."""

    def taken_back(self, form: Form, frame: bytes) -> bytes:
        return frame


class IdsOfReplicasAlone(_Renumbering, breaks="proxy-addresses.node-ids-taken-back"):
    """Takes ids back where replicas are assigned, and not where configs of a broker are meant."""

    def taken_back(self, form: Form, frame: bytes) -> bytes:
        return frame if "Config" in form.message else super().taken_back(form, frame)
