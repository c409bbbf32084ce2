"""Metadata, topics, ACLs and configs otherwise than KIP-4 has them."""

from __future__ import annotations

from typing import ClassVar

from conformance.codecs.mutants.clauses.reshaped import Reshaped


class RackLeftOut(Reshaped):
    """Lacks the rack of a broker in version 1 of the answer to Metadata."""

    messages = ("MetadataResponse",)
    within = range(1, 2)
    without = ("rack",)


class RackNeverNull(Reshaped):
    """Lets the rack of a broker be null in no answer to Metadata."""

    messages = ("MetadataResponse",)
    never_null = ("rack",)


class ControllerBehindTopics(Reshaped):
    """Has the id of the controller behind the topics in version 1 of the answer to Metadata."""

    messages = ("MetadataResponse",)
    within = range(1, 2)
    order = ("topics", "controllerId")


class ControllerLeftOut(Reshaped):
    """Lacks the id of the controller in version 1 of the answer to Metadata."""

    messages = ("MetadataResponse",)
    within = range(1, 2)
    without = ("controllerId",)


class InternalLeftOut(Reshaped):
    """Lacks in version 1 of the answer to Metadata whether a topic is internal."""

    messages = ("MetadataResponse",)
    within = range(1, 2)
    without = ("isInternal",)


class InternalBeforeName(Reshaped):
    """Has in the answer to Metadata whether a topic is internal before its name."""

    messages = ("MetadataResponse",)
    within = range(1, 2)
    order = ("isInternal", "name")


class PortOfTwoBytesInVersion1(Reshaped):
    """Takes the port of a broker for an INT16 in version 1 of the answer to Metadata."""

    messages = ("MetadataResponse",)
    within = range(1, 2)
    types: ClassVar = {"port": "int16"}


class TimeoutBeforeTopics(Reshaped):
    """Has the timeout of CreateTopics before the topics in version 0."""

    messages = ("CreateTopicsRequest",)
    within = range(1)
    order = ("timeoutMs", "topics")


class TimeoutLeftOut(Reshaped):
    """Lacks the timeout of CreateTopics in version 0."""

    messages = ("CreateTopicsRequest",)
    within = range(1)
    without = ("timeoutMs",)


class FactorBeforePartitions(Reshaped):
    """Has the factor of a topic to create before its number of partitions."""

    messages = ("CreateTopicsRequest",)
    order = ("replicationFactor", "numPartitions")


class ConfigsBeforeAssignments(Reshaped):
    """Has the configs of a topic to create before its assignment."""

    messages = ("CreateTopicsRequest",)
    order = ("configs", "assignments")


class FactorOfFourBytes(Reshaped):
    """Takes the factor of a topic to create for an INT32."""

    messages = ("CreateTopicsRequest",)
    types: ClassVar = {"replicationFactor": "int32"}


class AssignedByPosition(Reshaped):
    """Lacks the number of a partition in an assignment of CreateTopics."""

    messages = ("CreateTopicsRequest",)
    without = ("partitionIndex",)


class AssignedBrokersOfTwoBytes(Reshaped):
    """Takes the brokers in an assignment of CreateTopics for INT16s."""

    messages = ("CreateTopicsRequest",)
    types: ClassVar = {"brokerIds": "int16"}


class ValueBeforeKey(Reshaped):
    """Has the value of a config of CreateTopics before its key."""

    messages = ("CreateTopicsRequest",)
    order = ("value", "name")


class ValueOfBytes(Reshaped):
    """Takes the value of a config of CreateTopics for bytes."""

    messages = ("CreateTopicsRequest",)
    types: ClassVar = {"value": "bytes"}


class CodeBeforeCreatedName(Reshaped):
    """Has the error code in the answer to CreateTopics before the name."""

    messages = ("CreateTopicsResponse",)
    within = range(1)
    order = ("errorCode", "name")


class CreatedCodeOfFourBytes(Reshaped):
    """Takes the error code in the answer to CreateTopics for an INT32."""

    messages = ("CreateTopicsResponse",)
    within = range(1)
    types: ClassVar = {"errorCode": "int32"}


class TimeoutBeforeNames(Reshaped):
    """Has the timeout of DeleteTopics before the names in version 0."""

    messages = ("DeleteTopicsRequest",)
    within = range(1)
    order = ("timeoutMs", "topicNames")


class TimeoutOfDeletionLeftOut(Reshaped):
    """Lacks the timeout of DeleteTopics in version 0."""

    messages = ("DeleteTopicsRequest",)
    within = range(1)
    without = ("timeoutMs",)


class CodeBeforeDeletedName(Reshaped):
    """Has the error code in the answer to DeleteTopics before the name."""

    messages = ("DeleteTopicsResponse",)
    within = range(1)
    order = ("errorCode", "name")


class PrincipalOfFilterLeftOut(Reshaped):
    """Lacks the principal in DescribeAcls."""

    messages = ("DescribeAclsRequest",)
    without = ("principalFilter",)


class PrincipalOfFilterNeverNull(Reshaped):
    """Lets the principal in DescribeAcls be null in no version."""

    messages = ("DescribeAclsRequest",)
    never_null = ("principalFilter",)


class ResourceTypeOfTwoBytes(Reshaped):
    """Takes the type of a resource in DescribeAcls for an INT16."""

    messages = ("DescribeAclsRequest",)
    types: ClassVar = {"resourceTypeFilter": "int16"}


class NameBeforeTypeOfListedResource(Reshaped):
    """Has the name of a listed resource before its type in the answer to DescribeAcls."""

    messages = ("DescribeAclsResponse",)
    order = ("resourceName", "resourceType")


class ErrorOfListedAclsLeftOut(Reshaped):
    """Lacks the error code in the answer to DescribeAcls."""

    messages = ("DescribeAclsResponse",)
    without = ("errorCode",)


class CreationsHaveATimeout(Reshaped):
    """Has a timeout behind the ACLs of CreateAcls."""

    messages = ("CreateAclsRequest",)
    added = ("timeoutMs",)


class DeletionsHaveATimeout(Reshaped):
    """Has a timeout behind the filters of DeleteAcls."""

    messages = ("DeleteAclsRequest",)
    added = ("timeoutMs",)


class CreatedAclsWithoutCode(Reshaped):
    """Lacks the error code of an ACL in the answer to CreateAcls."""

    messages = ("CreateAclsResponse",)
    without = ("errorCode",)


class EntityTypeOfTwoBytes(Reshaped):
    """Takes the type of a resource in DescribeConfigs for an INT16."""

    messages = ("DescribeConfigsRequest",)
    types: ClassVar = {"resourceType": "int16"}


class EntityNameFirst(Reshaped):
    """Has the name of a resource in DescribeConfigs before its type."""

    messages = ("DescribeConfigsRequest",)
    order = ("resourceName", "resourceType")


class ConfigsWithoutValues(Reshaped):
    """Lacks the values of configs in the answer to DescribeConfigs."""

    messages = ("DescribeConfigsResponse",)
    without = ("value",)


class ConfigsWithoutCode(Reshaped):
    """Lacks the error code of a resource in the answer to DescribeConfigs."""

    messages = ("DescribeConfigsResponse",)
    without = ("errorCode",)
