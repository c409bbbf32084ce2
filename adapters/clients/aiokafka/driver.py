"""aiokafka as a driver: `ACTION HOST:PORT`; its last line is `ok`, or `error NAME text`."""

import asyncio
import logging
import os
import sys

import altering
import large
import members
import positions
import reading
import sending
import twice
import writing
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.abc import AbstractTokenProvider
from altering import check

try:
    from aiokafka.admin import AIOKafkaAdminClient, NewTopic
except ImportError:  # before 0.8 there is none
    AIOKafkaAdminClient = None

REQUEST_MS = 3000
ACTION_S = 8
EVENTS = os.environ.get("KAFKA_TOPIC", "events")
PARTITION = TopicPartition(EVENTS, 0)


def main() -> int:
    _, action, bootstrap = sys.argv
    if action not in ACTIONS or action in lacking():
        print("unsupported it has no", action)
        return 1
    logging.basicConfig()
    limits = {"bootstrap_servers": bootstrap, "request_timeout_ms": REQUEST_MS}
    try:
        told = asyncio.run(act(ACTIONS[action], limits))
    except (Exception, asyncio.CancelledError) as error:
        print("error", type(error).__name__, " ".join(str(error).split()))
        return 1
    print("ok", *(told or ()))
    return 0


def lacking():
    """The actions that this release has nothing for."""
    return () if AIOKafkaAdminClient else OF_ADMINS


class DriverTimeout(Exception):
    """The client had as long as this driver gives it."""


async def act(action, limits):
    try:
        async with asyncio.timeout(ACTION_S) as limit:
            return await action(limits)
    except TimeoutError:
        if limit.expired():
            raise DriverTimeout(f"no end within {ACTION_S} s") from None
        raise


class Admin(AIOKafkaAdminClient or object):
    async def __aenter__(self):
        try:
            await self.start()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *error):
        await self.close()


async def topics(limits):
    async with Admin(**limits) as admin:
        await admin.list_topics()


async def cluster(limits):
    async with Admin(**limits) as admin:
        return [(await admin.describe_cluster())["controller_id"]]


async def login(limits, mechanism="PLAIN"):
    await topics({**limits, **sending.LOGIN, "sasl_mechanism": mechanism})


async def scram(limits):
    await login(limits, "SCRAM-SHA-256")


class Provider(AbstractTokenProvider):
    async def token(self):
        return (  # that nobody signed
            "eyJhbGciOiJub25lIn0"
            ".eyJzdWIiOiJvbmUsdHdvPXRocmVlIiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQxMDI0NDQ4MDB9."
        )


async def oauth(limits):
    how = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "OAUTHBEARER"}
    await topics({**limits, **how, "sasl_oauth_token_provider": Provider()})


async def gssapi(limits):
    await topics({**limits, "security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "GSSAPI"})


async def groups(limits):
    async with Admin(**limits) as admin:
        for answer in await admin.describe_consumer_groups(["group-a", "group-b"]):
            for code, group, *_ in answer.groups:
                check(code, group)


async def create(limits):
    topic = NewTopic("made-by-a-client", num_partitions=1, replication_factor=1)
    async with Admin(**limits) as admin:
        answer = await admin.create_topics([topic], timeout_ms=REQUEST_MS)
        for name, code, *_ in answer.topic_errors:
            check(code, name)


async def consume(limits):
    alone = {"group_id": None, "isolation_level": "read_committed"}
    async with AIOKafkaConsumer(**alone, **limits) as consumer:
        consumer.assign([PARTITION])
        await consumer.seek_to_beginning(PARTITION)
        await consumer.getone()


async def lookup(limits):
    async with AIOKafkaConsumer(group_id=None, **limits) as consumer:
        await consumer.beginning_offsets([PARTITION])
        await consumer.end_offsets([PARTITION])
        await consumer.offsets_for_times({PARTITION: 1})


async def resume(limits):
    group = {"group_id": "group-a", "enable_auto_commit": False, "auto_offset_reset": "earliest"}
    async with AIOKafkaConsumer(**group, **limits) as consumer:
        consumer.assign([PARTITION])
        await consumer.getone()
        await consumer.commit()


OF_ADMINS = {
    "topics": topics,
    "cluster": cluster,
    "groups": groups,
    "create": create,
    "login": login,
    "scram": scram,
    "oauth": oauth,
    "gssapi": gssapi,
    **altering.actions(Admin, REQUEST_MS),
}
ACTIONS = {
    **OF_ADMINS,
    **writing.ACTIONS,
    **sending.ACTIONS,
    **twice.ACTIONS,
    **large.ACTIONS,
    **reading.ACTIONS,
    **positions.ACTIONS,
    "consume": consume,
    **members.ACTIONS,
    "lookup": lookup,
    "resume": resume,
}

if __name__ == "__main__":
    sys.exit(main())
