"""What an application alters and deletes, log dirs, and the client's id."""

import inspect
from contextlib import closing

from common import EVENTS, REQUEST_MS, Unsupported, has, made
from kafka import TopicPartition
from kafka import admin as of_admins
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from kafka.errors import NoError, for_code


def admin(limits):
    return closing(made(KafkaAdminClient, **limits))


def takes(call, name):
    return name in inspect.signature(call).parameters


def check(error):
    """Raise what a call hands over, a class or beside what it is about."""
    error = error[-1] if isinstance(error, tuple) else error
    if error is not NoError:
        raise error if isinstance(error, Exception) else error()


def altered(limits, incremental):
    with admin(limits) as one:
        broker = ConfigResource(
            ConfigResourceType.BROKER, "1", configs={"log.cleaner.threads": "2"}
        )
        if takes(one.alter_configs, "incremental"):  # as since 3.0
            told = one.alter_configs([broker], incremental=incremental)
            if told != {"broker": {"1": "OK"}}:
                raise RuntimeError(told)
        elif incremental:
            raise Unsupported("it has no incremental alter_configs")
        else:
            answers = one.alter_configs([broker])
            for answer in answers if isinstance(answers, list) else [answers]:
                for code, *_ in answer.resources:
                    check(for_code(code))


def alter(limits):
    altered(limits, True)


def replace(limits):
    altered(limits, False)


def acls(limits):
    if not hasattr(of_admins, "ACL"):
        raise Unsupported("it has no ACLs")
    kinds = of_admins.ResourceType, of_admins.ACLOperation, of_admins.ACLPermissionType
    topic = of_admins.ResourcePattern(
        kinds[0].TOPIC, EVENTS, of_admins.ACLResourcePatternType.LITERAL
    )
    may = ("User:alice", "*", kinds[1].READ, kinds[2].ALLOW, topic)
    with admin(limits) as one:
        for each in one.create_acls([of_admins.ACL(*may)])["failed"]:
            check(each)
        check(one.describe_acls(of_admins.ACLFilter(*may)))
        for each in one.delete_acls([of_admins.ACLFilter(*may)]):
            check(each)


def forget(limits):
    with admin(limits) as one:
        told = has(one, "delete_group_offsets")("group-a", [TopicPartition(EVENTS, 0)])
        for each in told.values():
            check(each)


def delete(limits):
    with admin(limits) as one:
        one.delete_topics(["orders.v2"], timeout_ms=REQUEST_MS)


def dirs(limits):
    with admin(limits) as one:
        describe = has(one, "describe_log_dirs")
        if not takes(describe, "brokers"):
            raise Unsupported("its describe_log_dirs takes no broker")
        for answer in describe(brokers=[1]):
            for each in answer["log_dirs"]:
                check(for_code(each["error_code"]))


def listed_as(client_id):
    def topics(limits):
        with admin({**limits, "client_id": client_id}) as one:
            has(one, "list_topics")()

    return topics


ACTIONS = {
    "alter": alter,
    "replace": replace,
    "acls": acls,
    "forget": forget,
    "delete": delete,
    "dirs": dirs,
    "nameless": listed_as(None),
    "blank": listed_as(""),
    "lengthy": listed_as("x" * 300),
    "brimming": listed_as("x" * 240),
    "foreign": listed_as("cl\u00e9-\u540d-\U0001f99c"),
}
