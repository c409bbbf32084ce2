"""Configs described wrongly: wrong resources, configs and sources, and secrets revealed."""

from __future__ import annotations

from conformance import error_codes
from conformance.api_keys import CREATE_TOPICS, DESCRIBE_CONFIGS
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.config_names import OF_BROKER, OF_TOPIC, Known
from conformance.reference.broker.admin.configs import (
    BROKER,
    DEFAULT_SOURCE,
    STATIC_SOURCE,
    TOPIC_SOURCE,
    Resource,
    Setting,
)
from conformance.reference.broker.cluster import TOPIC, Request, Topic, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup, Refused


class NullKeysAskForNone(BrokerMutant, breaks="configs.null-asks-for-all"):
    """Describes nothing where the keys are null."""

    def config_keys_wanted(self, keys: list[str] | None) -> set[str] | None:
        return set(keys or ())


class NullAsksForWhatWasSet(BrokerMutant, breaks="configs.null-asks-for-all"):
    """Leaves what is at its default out of the configs of a resource, unless its key is asked."""

    def described_configs(self, request: Request, item: Value) -> list[Value]:
        found = super().described_configs(request, item)
        if item["configurationKeys"]:
            return found
        return [each for each in found if each["configSource"] != DEFAULT_SOURCE]


class KeysIgnored(BrokerMutant, breaks="configs.null-asks-for-all"):
    """Describes all configs of a resource, whatever keys were asked for."""

    def config_keys_wanted(self, keys: list[str] | None) -> set[str] | None:
        return None


class UnknownKeyMadeUp(BrokerMutant, breaks="configs.unknown-key-left-out"):
    """Describes a key that no config has, with null for its value."""

    def described_configs(self, request: Request, item: Value) -> list[Value]:
        found = super().described_configs(request, item)
        names = {each["name"] for each in found}
        resource = item["resourceType"], item["resourceName"]
        strange = [key for key in item["configurationKeys"] or () if key not in names]
        return found + [self.described_config(request, resource, key, []) for key in strange]


class UnknownKeyRefused(BrokerMutant, breaks="configs.unknown-key-left-out"):
    """Refuses to describe a resource of which a key is asked that no config has."""

    def described_configs(self, request: Request, item: Value) -> list[Value]:
        if set(item["configurationKeys"] or ()) - {*OF_BROKER, *OF_TOPIC}:
            raise Refused(error_codes.INVALID_CONFIG)
        return super().described_configs(request, item)


class AnyBrokerDescribed(BrokerMutant, breaks="configs.own-broker-alone"):
    """Describes the configs of brokers that there are not."""

    def check_broker(self, name: str, may_be_empty: bool = True) -> None:
        if name and not name.isdecimal():
            raise Refused(error_codes.INVALID_REQUEST)


class BrokerNameNotChecked(BrokerMutant, breaks="configs.own-broker-alone"):
    """Takes what is no number for the name of a broker."""

    def check_broker(self, name: str, may_be_empty: bool = True) -> None:
        if not name or name.isdecimal():
            super().check_broker(name, may_be_empty)


class AllBrokersRefused(BrokerMutant, breaks="configs.own-broker-alone"):
    """Knows no configs of all brokers together."""

    def check_broker(self, name: str, may_be_empty: bool = True) -> None:
        super().check_broker(name, may_be_empty=False)


class AbsentTopicDescribed(BrokerMutant, breaks="configs.unknown-topic-refused"):
    """Describes a topic that is not there."""

    implies = ("acls.describing-configs-takes-a-right",)

    def check_described(self, request: Request, resource: Resource) -> None:
        if resource[0] != TOPIC:
            super().check_described(request, resource)


class AbsentTopicAltered(BrokerMutant, breaks="configs.unknown-topic-refused"):
    """Takes configs for a topic that is not there."""

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        if resource[0] == TOPIC and resource[1] not in self.topics:
            return {}
        return super().altered_configs(request, item, resource, incremental)


class AbsentTopicIsInvalid(BrokerMutant, breaks="configs.unknown-topic-refused"):
    """Answers for a topic that is not there as if its name could not be."""

    def check_topic(self, name: str) -> None:
        if name not in self.topics:
            raise Refused(error_codes.INVALID_TOPIC_EXCEPTION)


class AbsentTopicFailsAll(BrokerMutant, breaks="configs.unknown-topic-refused"):
    """Describes nothing of a request in which a topic is not there."""

    def describe_configs(self, request: Request) -> Value:
        answer = super().describe_configs(request)
        code = error_codes.UNKNOWN_TOPIC_OR_PARTITION
        if any(each["errorCode"] == code for each in answer["results"]):
            for each in answer["results"]:
                each.update(errorCode=code, configs=[])
        return answer


class UnknownTypeDescribed(BrokerMutant, breaks="configs.unknown-type-refused"):
    """Describes a resource of a type that is none."""

    def has_unknown_type(self, asked: list[Value]) -> bool:
        return False


class UnknownTypeAlteredInVain(BrokerMutant, breaks="configs.unknown-type-refused"):
    """Says that a resource of a type that is none was altered."""

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        if self.has_unknown_type([item]):
            return {}
        return super().altered_configs(request, item, resource, incremental)


class UnknownTypeHangsUp(BrokerMutant, breaks="configs.unknown-type-refused"):
    """Hangs up on a request to alter that has a resource of a type that is none."""

    def altered(self, request: Request, incremental: bool) -> Value:
        if self.has_unknown_type(request.value["resources"]):
            raise Hangup
        return super().altered(request, incremental)


class FirstAlteredAnsweredTwice(BrokerMutant, breaks="results.one-for-each"):
    """Answers the first of several resources that are to be altered twice."""

    def altered(self, request: Request, incremental: bool) -> Value:
        answer = super().altered(request, incremental)
        again = answer["responses"][:1] if len(answer["responses"]) > 1 else []
        return {**answer, "responses": answer["responses"] + again}


class RefusedLeftOut(BrokerMutant, breaks="results.one-for-each"):
    """Leaves resources that could not be altered out of the answer, but for the first."""

    def altered(self, request: Request, incremental: bool) -> Value:
        answer = super().altered(request, incremental)
        first, *others = answer["responses"] or [None]
        kept = [each for each in others if not each["errorCode"]]
        return {**answer, "responses": [first, *kept] if first else []}


class ResultNotNamed(BrokerMutant, breaks="results.one-for-each"):
    """Leaves the name out of the results of resources that are described."""

    def describe_configs(self, request: Request) -> Value:
        answer = super().describe_configs(request)
        for each in answer["results"]:
            if each["resourceType"] == TOPIC:
                each["resourceName"] = ""
        return answer


class DescribedTwiceRefused(BrokerMutant, breaks="configs.described-twice"):
    """Refuses to describe a resource that is asked for twice."""

    def describe_configs(self, request: Request) -> Value:
        answer = super().describe_configs(request)
        seen: list[Resource] = []
        for each in answer["results"]:
            seen.append((each["resourceType"], each["resourceName"]))
        for each, resource in zip(answer["results"], seen, strict=True):
            if seen.count(resource) > 1:
                each.update(errorCode=error_codes.INVALID_REQUEST, configs=[])
        return answer


class SecondMentionEmpty(BrokerMutant, breaks="configs.described-twice"):
    """Describes a resource that is asked for twice without configs the second time."""

    def describe_configs(self, request: Request) -> Value:
        answer = super().describe_configs(request)
        seen: set[Resource] = set()
        for each in answer["results"]:
            resource = each["resourceType"], each["resourceName"]
            if resource in seen:
                each["configs"] = []
            seen.add(resource)
        return answer


class UnknownConfigHidden(BrokerMutant, breaks="configs.unknown-config-described"):
    """Describes no config that it does not know, though it takes them."""

    def described_configs(self, request: Request, item: Value) -> list[Value]:
        found = super().described_configs(request, item)
        if item["resourceType"] != BROKER:
            return found
        return [each for each in found if each["name"] in OF_BROKER]


class UnknownConfigLost(BrokerMutant, breaks="configs.unknown-config-described"):
    """Forgets at once what is set of a broker and not known."""

    def set_configs(self, resource: Resource, configs: dict[str, str]) -> None:
        if resource[0] == BROKER:
            configs = {name: value for name, value in configs.items() if name in OF_BROKER}
        super().set_configs(resource, configs)


class DescribedWhereCreated(BrokerMutant, breaks="configs.any-broker-describes-topics"):
    """Describes topics nowhere but where one was created, as if nobody else had heard of them."""

    class Sessions(Session):
        has_created = False

        def handle(self, request: Request) -> Value:
            self.has_created |= request.api_key == CREATE_TOPICS
            answer = super().handle(request)
            if request.api_key == DESCRIBE_CONFIGS and not self.has_created:
                for each in answer["results"]:
                    if each["resourceType"] == TOPIC:
                        each.update(errorCode=error_codes.UNKNOWN_TOPIC_OR_PARTITION, configs=[])
            return answer


class EverythingSetOfTheTopic(BrokerMutant, breaks="configs.source-told"):
    """Says of all configs of a topic that they were set of it."""

    def described_config(
        self, request: Request, resource: Resource, name: str, settings: list[Setting]
    ) -> Value:
        shown = super().described_config(request, resource, name, settings)
        return {**shown, "configSource": TOPIC_SOURCE} if resource[0] == TOPIC else shown


class NothingSetOfTheTopic(BrokerMutant, breaks="configs.source-told"):
    """Says of all configs of a topic that they are the defaults."""

    def in_force(self, known: Known | None, settings: list[Setting]) -> tuple[str | None, int]:
        value, source = super().in_force(known, settings)
        return value, DEFAULT_SOURCE if source == TOPIC_SOURCE else source


class DefaultsCopiedToTheTopic(BrokerMutant, breaks="configs.source-told"):
    """Sets a default of a new topic as if it had been asked for."""

    def add_topic(self, topic: Topic) -> None:
        super().add_topic(topic)
        self.copying = True

    def set_configs(self, resource: Resource, configs: dict[str, str]) -> None:
        if getattr(self, "copying", False):
            configs = {"segment.ms": "604800000", **configs}
        self.copying = False
        super().set_configs(resource, configs)


class SynonymsUnasked(BrokerMutant, breaks="configs.synonyms-only-if-asked"):
    """Gives synonyms whether they were asked for or not."""

    def describe_configs(self, request: Request) -> Value:
        request.value["includeSynonyms"] = True
        return super().describe_configs(request)


class SynonymsWithDocumentation(BrokerMutant, breaks="configs.synonyms-only-if-asked"):
    """Gives synonyms where documentation is asked for as well."""

    def describe_configs(self, request: Request) -> Value:
        request.value["includeSynonyms"] |= request.value["includeDocumentation"]
        return super().describe_configs(request)


class SynonymsFromTheWrongEnd(BrokerMutant, breaks="configs.synonyms-only-if-asked"):
    """Gives a config's default before what is in force."""

    def broker_settings(self, key: str) -> list[Setting]:
        settings = super().broker_settings(key)
        if key == "num.io.threads":
            return [Setting(key, "4", STATIC_SOURCE), *settings]
        return settings

    def synonyms(self, known: Known | None, settings: list[Setting]) -> list[Value]:
        return super().synonyms(known, settings)[::-1]


class DocumentationUnasked(BrokerMutant, breaks="configs.documentation-only-if-asked"):
    """Documents configs whether that was asked for or not."""

    def describe_configs(self, request: Request) -> Value:
        request.value["includeDocumentation"] = True
        return super().describe_configs(request)


class DocumentationWithSynonyms(BrokerMutant, breaks="configs.documentation-only-if-asked"):
    """Documents configs where synonyms are asked for as well."""

    def describe_configs(self, request: Request) -> Value:
        request.value["includeDocumentation"] |= request.value["includeSynonyms"]
        return super().describe_configs(request)


class TypesFromZero(BrokerMutant, breaks="configs.types-told"):
    """Counts the types of configs from 0, where 0 is that of one that is not known."""

    def described_config(
        self, request: Request, resource: Resource, name: str, settings: list[Setting]
    ) -> Value:
        shown = super().described_config(request, resource, name, settings)
        return {**shown, "configType": max(0, shown["configType"] - 1)}


class TypesOnlyWithDocumentation(BrokerMutant, breaks="configs.types-told"):
    """Tells the types of configs only where documentation is asked for."""

    def described_config(
        self, request: Request, resource: Resource, name: str, settings: list[Setting]
    ) -> Value:
        shown = super().described_config(request, resource, name, settings)
        told = request.value["includeDocumentation"]
        return {**shown, "configType": shown["configType"] if told else 0}


class SecretsShown(BrokerMutant, breaks="configs.sensitive-is-null"):
    """Shows the values of sensitive configs."""

    def shown_value(self, known: Known | None, value: str | None) -> str | None:
        return value


class SecretsAmongSynonyms(BrokerMutant, breaks="configs.sensitive-is-null"):
    """Hides a sensitive value, and shows it among the synonyms."""

    def synonyms(self, known: Known | None, settings: list[Setting]) -> list[Value]:
        return [
            {"name": each.name, "value": each.value, "source": each.source} for each in settings
        ]


class SecretsStarred(BrokerMutant, breaks="configs.sensitive-is-null"):
    """Puts asterisks for a sensitive value, where null is due."""

    def shown_value(self, known: Known | None, value: str | None) -> str | None:
        shown = super().shown_value(known, value)
        return "*" * len(value) if shown is None and value is not None else shown
