"""What an application alters and deletes, and the client's id."""

from aiokafka.errors import for_code

try:
    from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
except ImportError:  # before 0.8 there is no admin
    ConfigResource = ConfigResourceType = None


def actions(admin_class, timeout_ms):
    """The actions, by their names, of an admin of this class."""

    async def replace(limits):
        settings = {"log.cleaner.threads": "2"}
        broker = ConfigResource(ConfigResourceType.BROKER, "1", configs=settings)
        async with admin_class(**limits) as admin:
            for answer in await admin.alter_configs([broker]):
                for code, text, *_ in answer.resources:
                    check(code, text)

    async def delete(limits):
        async with admin_class(**limits) as admin:
            answer = await admin.delete_topics(["orders.v2"], timeout_ms=timeout_ms)
            for name, code, *_ in answer.topic_error_codes:
                check(code, name)

    def listed_as(client_id):
        async def topics(limits):
            async with admin_class(client_id=client_id, **limits) as admin:
                await admin.list_topics()

        return topics

    return {
        "replace": replace,
        "delete": delete,
        "nameless": listed_as(None),
        "blank": listed_as(""),
        "lengthy": listed_as("x" * 300),
        "brimming": listed_as("x" * 240),
        "foreign": listed_as("cl\u00e9-\u540d-\U0001f99c"),
    }


def check(code, text):
    """Answers are handed over as they came."""
    if code:
        raise for_code(code)(text)
