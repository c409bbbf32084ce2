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


class NullKeysAskForNone(BrokerMutant):
    """Describes nothing where the keys are null."""

    breaks = "configs.null-asks-for-all"

    def config_keys_wanted(self, keys: list[str] | None) -> set[str] | None:
        return set(keys or ())


class NullAsksForWhatWasSet(BrokerMutant):
    """Leaves what is at its default out of the configs of a resource, unless its key is asked."""

    breaks = "configs.null-asks-for-all"

    def described_configs(self, request: Request, item: Value) -> list[Value]:
        found = super().described_configs(request, item)
        if item["configurationKeys"]:
            return found
        return [each for each in found if each["configSource"] != DEFAULT_SOURCE]


class KeysIgnored(BrokerMutant):
    """Describes all configs of a resource, whatever keys were asked for."""

    breaks = "configs.null-asks-for-all"

    def config_keys_wanted(self, keys: list[str] | None) -> set[str] | None:
        return None


class UnknownKeyMadeUp(BrokerMutant):
    """Describes a key that no config has, with null for its value."""

    breaks = "configs.unknown-key-left-out"

    def described_configs(self, request: Request, item: Value) -> list[Value]:
        found = super().described_configs(request, item)
        names = {each["name"] for each in found}
        resource = item["resourceType"], item["resourceName"]
        strange = [key for key in item["configurationKeys"] or () if key not in names]
        return found + [self.described_config(request, resource, key, []) for key in strange]


class UnknownKeyRefused(BrokerMutant):
    """Refuses to describe a resource of which a key is asked that no config has."""

    breaks = "configs.unknown-key-left-out"

    def described_configs(self, request: Request, item: Value) -> list[Value]:
        if set(item["configurationKeys"] or ()) - {*OF_BROKER, *OF_TOPIC}:
            raise Refused(error_codes.INVALID_CONFIG)
        return super().described_configs(request, item)


class AnyBrokerDescribed(BrokerMutant):
    """Describes the configs of brokers that there are not."""

    breaks = "configs.own-broker-alone"

    def check_broker(self, name: str, may_be_empty: bool = True) -> None:
        if name and not name.isdecimal():
            raise Refused(error_codes.INVALID_REQUEST)


class BrokerNameNotChecked(BrokerMutant):
    """Takes what is no number for the name of a broker."""

    breaks = "configs.own-broker-alone"

    def check_broker(self, name: str, may_be_empty: bool = True) -> None:
        if not name or name.isdecimal():
            super().check_broker(name, may_be_empty)


class AllBrokersRefused(BrokerMutant):
    """Knows no configs of all brokers together."""

    breaks = "configs.own-broker-alone"

    def check_broker(self, name: str, may_be_empty: bool = True) -> None:
        super().check_broker(name, may_be_empty=False)


class AbsentTopicDescribed(BrokerMutant):
    """Describes a topic that is not there."""

    breaks = "configs.unknown-topic-refused"
    implies = ("acls.describing-configs-takes-a-right",)

    def check_described(self, request: Request, resource: Resource) -> None:
        if resource[0] != TOPIC:
            super().check_described(request, resource)


class AbsentTopicAltered(BrokerMutant):
    """Takes configs for a topic that is not there."""

    breaks = "configs.unknown-topic-refused"

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        if resource[0] == TOPIC and resource[1] not in self.topics:
            return {}
        return super().altered_configs(request, item, resource, incremental)


class AbsentTopicIsInvalid(BrokerMutant):
    """Answers for a topic that is not there as if its name could not be."""

    breaks = "configs.unknown-topic-refused"

    def check_topic(self, name: str) -> None:
        if name not in self.topics:
            raise Refused(error_codes.INVALID_TOPIC_EXCEPTION)


class AbsentTopicFailsAll(BrokerMutant):
    """Describes nothing of a request in which a topic is not there."""

    breaks = "configs.unknown-topic-refused"

    def describe_configs(self, request: Request) -> Value:
        answer = super().describe_configs(request)
        code = error_codes.UNKNOWN_TOPIC_OR_PARTITION
        if any(each["errorCode"] == code for each in answer["results"]):
            for each in answer["results"]:
                each.update(errorCode=code, configs=[])
        return answer


class UnknownTypeDescribed(BrokerMutant):
    """Describes a resource of a type that is none."""

    breaks = "configs.unknown-type-refused"

    def has_unknown_type(self, asked: list[Value]) -> bool:
        return False


class UnknownTypeAlteredInVain(BrokerMutant):
    """Says that a resource of a type that is none was altered."""

    breaks = "configs.unknown-type-refused"

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        if self.has_unknown_type([item]):
            return {}
        return super().altered_configs(request, item, resource, incremental)


class UnknownTypeHangsUp(BrokerMutant):
    """Hangs up on a request to alter that has a resource of a type that is none."""

    breaks = "configs.unknown-type-refused"

    def altered(self, request: Request, incremental: bool) -> Value:
        if self.has_unknown_type(request.value["resources"]):
            raise Hangup
        return super().altered(request, incremental)


class FirstAlteredAnsweredTwice(BrokerMutant):
    """Answers the first of several resources that are to be altered twice."""

    breaks = "results.one-for-each"

    def altered(self, request: Request, incremental: bool) -> Value:
        answer = super().altered(request, incremental)
        again = answer["responses"][:1] if len(answer["responses"]) > 1 else []
        return {**answer, "responses": answer["responses"] + again}


class RefusedLeftOut(BrokerMutant):
    """Leaves resources that could not be altered out of the answer, but for the first."""

    breaks = "results.one-for-each"

    def altered(self, request: Request, incremental: bool) -> Value:
        answer = super().altered(request, incremental)
        first, *others = answer["responses"] or [None]
        kept = [each for each in others if not each["errorCode"]]
        return {**answer, "responses": [first, *kept] if first else []}


class ResultNotNamed(BrokerMutant):
    """Leaves the name out of the results of resources that are described."""

    breaks = "results.one-for-each"

    def describe_configs(self, request: Request) -> Value:
        answer = super().describe_configs(request)
        for each in answer["results"]:
            if each["resourceType"] == TOPIC:
                each["resourceName"] = ""
        return answer


class DescribedTwiceRefused(BrokerMutant):
    """Refuses to describe a resource that is asked for twice."""

    breaks = "configs.described-twice"

    def describe_configs(self, request: Request) -> Value:
        answer = super().describe_configs(request)
        seen: list[Resource] = []
        for each in answer["results"]:
            seen.append((each["resourceType"], each["resourceName"]))
        for each, resource in zip(answer["results"], seen, strict=True):
            if seen.count(resource) > 1:
                each.update(errorCode=error_codes.INVALID_REQUEST, configs=[])
        return answer


class SecondMentionEmpty(BrokerMutant):
    """Describes a resource that is asked for twice without configs the second time."""

    breaks = "configs.described-twice"

    def describe_configs(self, request: Request) -> Value:
        answer = super().describe_configs(request)
        seen: set[Resource] = set()
        for each in answer["results"]:
            resource = each["resourceType"], each["resourceName"]
            if resource in seen:
                each["configs"] = []
            seen.add(resource)
        return answer


class UnknownConfigHidden(BrokerMutant):
    """Describes no config that it does not know, though it takes them."""

    breaks = "configs.unknown-config-described"

    def described_configs(self, request: Request, item: Value) -> list[Value]:
        found = super().described_configs(request, item)
        if item["resourceType"] != BROKER:
            return found
        return [each for each in found if each["name"] in OF_BROKER]


class UnknownConfigLost(BrokerMutant):
    """Forgets at once what is set of a broker and not known."""

    breaks = "configs.unknown-config-described"

    def set_configs(self, resource: Resource, configs: dict[str, str]) -> None:
        if resource[0] == BROKER:
            configs = {name: value for name, value in configs.items() if name in OF_BROKER}
        super().set_configs(resource, configs)


class DescribedWhereCreated(BrokerMutant):
    """Describes topics nowhere but where one was created, as if nobody else had heard of them."""

    breaks = "configs.any-broker-describes-topics"

    class Sessions(Session):
        """A connection that knows whether it has created topics."""

        has_created = False

        def handle(self, request: Request) -> Value:
            """The answer, where topics are described without their configs."""
            self.has_created |= request.api_key == CREATE_TOPICS
            answer = super().handle(request)
            if request.api_key == DESCRIBE_CONFIGS and not self.has_created:
                for each in answer["results"]:
                    if each["resourceType"] == TOPIC:
                        each.update(errorCode=error_codes.UNKNOWN_TOPIC_OR_PARTITION, configs=[])
            return answer


class EverythingSetOfTheTopic(BrokerMutant):
    """Says of all configs of a topic that they were set of it."""

    breaks = "configs.source-told"

    def described_config(
        self, request: Request, resource: Resource, name: str, settings: list[Setting]
    ) -> Value:
        shown = super().described_config(request, resource, name, settings)
        return {**shown, "configSource": TOPIC_SOURCE} if resource[0] == TOPIC else shown


class NothingSetOfTheTopic(BrokerMutant):
    """Says of all configs of a topic that they are the defaults."""

    breaks = "configs.source-told"

    def in_force(self, known: Known | None, settings: list[Setting]) -> tuple[str | None, int]:
        value, source = super().in_force(known, settings)
        return value, DEFAULT_SOURCE if source == TOPIC_SOURCE else source


class DefaultsCopiedToTheTopic(BrokerMutant):
    """Sets a default of a new topic as if it had been asked for."""

    breaks = "configs.source-told"

    def add_topic(self, topic: Topic) -> None:
        super().add_topic(topic)
        self.copying = True

    def set_configs(self, resource: Resource, configs: dict[str, str]) -> None:
        if getattr(self, "copying", False):
            configs = {"segment.ms": "604800000", **configs}
        self.copying = False
        super().set_configs(resource, configs)


class SynonymsUnasked(BrokerMutant):
    """Gives synonyms whether they were asked for or not."""

    breaks = "configs.synonyms-only-if-asked"

    def describe_configs(self, request: Request) -> Value:
        request.value["includeSynonyms"] = True
        return super().describe_configs(request)


class SynonymsWithDocumentation(BrokerMutant):
    """Gives synonyms where documentation is asked for as well."""

    breaks = "configs.synonyms-only-if-asked"

    def describe_configs(self, request: Request) -> Value:
        request.value["includeSynonyms"] |= request.value["includeDocumentation"]
        return super().describe_configs(request)


class SynonymsFromTheWrongEnd(BrokerMutant):
    """Gives a config's default before what is in force."""

    breaks = "configs.synonyms-only-if-asked"

    def broker_settings(self, key: str) -> list[Setting]:
        settings = super().broker_settings(key)
        if key == "num.io.threads":
            return [Setting(key, "4", STATIC_SOURCE), *settings]
        return settings

    def synonyms(self, known: Known | None, settings: list[Setting]) -> list[Value]:
        return super().synonyms(known, settings)[::-1]


class DocumentationUnasked(BrokerMutant):
    """Documents configs whether that was asked for or not."""

    breaks = "configs.documentation-only-if-asked"

    def describe_configs(self, request: Request) -> Value:
        request.value["includeDocumentation"] = True
        return super().describe_configs(request)


class DocumentationWithSynonyms(BrokerMutant):
    """Documents configs where synonyms are asked for as well."""

    breaks = "configs.documentation-only-if-asked"

    def describe_configs(self, request: Request) -> Value:
        request.value["includeDocumentation"] |= request.value["includeSynonyms"]
        return super().describe_configs(request)


class TypesFromZero(BrokerMutant):
    """Counts the types of configs from 0, where 0 is that of one that is not known."""

    breaks = "configs.types-told"

    def described_config(
        self, request: Request, resource: Resource, name: str, settings: list[Setting]
    ) -> Value:
        shown = super().described_config(request, resource, name, settings)
        return {**shown, "configType": max(0, shown["configType"] - 1)}


class TypesOnlyWithDocumentation(BrokerMutant):
    """Tells the types of configs only where documentation is asked for."""

    breaks = "configs.types-told"

    def described_config(
        self, request: Request, resource: Resource, name: str, settings: list[Setting]
    ) -> Value:
        shown = super().described_config(request, resource, name, settings)
        told = request.value["includeDocumentation"]
        return {**shown, "configType": shown["configType"] if told else 0}


class SecretsShown(BrokerMutant):
    """Shows the values of sensitive configs."""

    breaks = "configs.sensitive-is-null"

    def shown_value(self, known: Known | None, value: str | None) -> str | None:
        return value


class SecretsAmongSynonyms(BrokerMutant):
    """Hides a sensitive value, and shows it among the synonyms."""

    breaks = "configs.sensitive-is-null"

    def synonyms(self, known: Known | None, settings: list[Setting]) -> list[Value]:
        return [
            {"name": each.name, "value": each.value, "source": each.source} for each in settings
        ]


class SecretsStarred(BrokerMutant):
    """Puts asterisks for a sensitive value, where null is due."""

    breaks = "configs.sensitive-is-null"

    def shown_value(self, known: Known | None, value: str | None) -> str | None:
        shown = super().shown_value(known, value)
        return "*" * len(value) if shown is None and value is not None else shown
