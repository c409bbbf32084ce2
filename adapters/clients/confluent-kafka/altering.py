"""What an application alters and deletes, and the client's id."""

from common import ACTION_S, EVENTS, START_S, has, wait
from confluent_kafka import admin as of_admins
from confluent_kafka.admin import AdminClient, ConfigResource

THREADS = "log.cleaner.threads"


def waited(answers):
    """Wait for each, with what it is about beside it."""
    for answer in answers.values():
        wait(answer)


def alter(config):
    admin = AdminClient(config)
    call = has(admin, "incremental_alter_configs")
    setting = of_admins.AlterConfigOpType.SET
    entry = of_admins.ConfigEntry(THREADS, "2", incremental_operation=setting)
    broker = ConfigResource(ConfigResource.Type.BROKER, "1", incremental_configs=[entry])
    waited(call([broker], request_timeout=ACTION_S))


def replace(config):
    broker = ConfigResource(ConfigResource.Type.BROKER, "1", set_config={THREADS: "2"})
    admin = AdminClient(config)
    waited(admin.alter_configs([broker], request_timeout=ACTION_S))


def acls(config):
    admin = AdminClient(config)
    create = has(admin, "create_acls")
    may = (
        of_admins.ResourceType.TOPIC,
        EVENTS,
        of_admins.ResourcePatternType.LITERAL,
        "User:alice",
        "*",
        of_admins.AclOperation.READ,
        of_admins.AclPermissionType.ALLOW,
    )
    like = of_admins.AclBindingFilter(*may)
    waited(create([of_admins.AclBinding(*may)], request_timeout=ACTION_S))
    wait(admin.describe_acls(like, request_timeout=ACTION_S))
    waited(admin.delete_acls([like], request_timeout=ACTION_S))


def delete(config):
    admin = AdminClient(config)
    waited(admin.delete_topics(["orders.v2"], request_timeout=ACTION_S))


def listed_as(client_id):
    def topics(config):
        AdminClient({**config, "client.id": client_id}).list_topics(timeout=START_S)

    return topics


ACTIONS = {
    "alter": alter,
    "replace": replace,
    "acls": acls,
    "delete": delete,
    "blank": listed_as(""),
    "lengthy": listed_as("x" * 300),
    "brimming": listed_as("x" * 240),
    "foreign": listed_as("cl\u00e9-\u540d-\U0001f99c"),
}
