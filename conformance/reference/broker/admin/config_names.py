"""The configs that the broker knows, with the types, defaults and synonyms of Apache Kafka 4.3.1.

They are all configs of a topic, and those of a broker that topics take their defaults from or admin
tools look at. They were read from a running broker by DescribeConfigs.
"""

from __future__ import annotations

from dataclasses import dataclass

BOOLEAN, STRING, INT, SHORT, LONG, DOUBLE, LIST, CLASS, PASSWORD = range(1, 10)
_NO_LIMIT = "9223372036854775807"


@dataclass(frozen=True, slots=True)
class Known:
    """A config. `synonym` is the broker's config that a topic's default comes from.

    A number is not below the `least`, if there is one.
    """

    name: str
    kind: int
    default: str | None
    synonym: str = ""
    read_only: bool = False
    values: tuple[str, ...] = ()
    least: int | None = None

    @property
    def sensitive(self) -> bool:
        """True if its value is never shown."""
        return self.kind == PASSWORD


def _by_name(*configs: Known) -> dict[str, Known]:
    return {config.name: config for config in configs}


_POLICIES = ("compact", "delete")
_COMPRESSIONS = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
_TIMESTAMPS = ("CreateTime", "LogAppendTime")
_THROTTLED = "replication.throttled.replicas"

OF_TOPIC = _by_name(
    Known("cleanup.policy", LIST, "delete", "log.cleanup.policy", values=_POLICIES),
    Known("compression.gzip.level", INT, "-1", "compression.gzip.level"),
    Known("compression.lz4.level", INT, "9", "compression.lz4.level"),
    Known("compression.type", STRING, "producer", "compression.type", values=_COMPRESSIONS),
    Known("compression.zstd.level", INT, "3", "compression.zstd.level"),
    Known("delete.retention.ms", LONG, "86400000", "log.cleaner.delete.retention.ms"),
    Known("file.delete.delay.ms", LONG, "60000", "log.segment.delete.delay.ms"),
    Known("flush.messages", LONG, _NO_LIMIT, "log.flush.interval.messages"),
    Known("flush.ms", LONG, _NO_LIMIT, "log.flush.interval.ms"),
    Known(f"follower.{_THROTTLED}", LIST, ""),
    Known("index.interval.bytes", INT, "4096", "log.index.interval.bytes"),
    Known(f"leader.{_THROTTLED}", LIST, ""),
    Known("local.retention.bytes", LONG, "-2", "log.local.retention.bytes"),
    Known("local.retention.ms", LONG, "-2", "log.local.retention.ms"),
    Known("max.compaction.lag.ms", LONG, _NO_LIMIT, "log.cleaner.max.compaction.lag.ms"),
    Known("max.message.bytes", INT, "1048588", "message.max.bytes"),
    Known("message.timestamp.after.max.ms", LONG, "3600000", "log.message.timestamp.after.max.ms"),
    Known(
        "message.timestamp.before.max.ms", LONG, _NO_LIMIT, "log.message.timestamp.before.max.ms"
    ),
    Known(
        "message.timestamp.type",
        STRING,
        "CreateTime",
        "log.message.timestamp.type",
        values=_TIMESTAMPS,
    ),
    Known("min.cleanable.dirty.ratio", DOUBLE, "0.5", "log.cleaner.min.cleanable.ratio"),
    Known("min.compaction.lag.ms", LONG, "0", "log.cleaner.min.compaction.lag.ms"),
    Known("min.insync.replicas", INT, "1", "min.insync.replicas"),
    Known("preallocate", BOOLEAN, "false", "log.preallocate"),
    Known("remote.log.copy.disable", BOOLEAN, "false"),
    Known("remote.log.delete.on.disable", BOOLEAN, "false"),
    Known("remote.storage.enable", BOOLEAN, "false"),
    Known("retention.bytes", LONG, "-1", "log.retention.bytes"),
    Known("retention.ms", LONG, "604800000", "log.retention.ms", least=-1),
    Known("segment.bytes", INT, "1073741824", "log.segment.bytes"),
    Known("segment.index.bytes", INT, "10485760", "log.index.size.max.bytes"),
    Known("segment.jitter.ms", LONG, "0", "log.roll.jitter.ms"),
    Known("segment.ms", LONG, "604800000", "log.roll.ms"),
    Known("unclean.leader.election.enable", BOOLEAN, "false", "unclean.leader.election.enable"),
)

_IN_OTHER_UNITS = ("log.flush.interval.ms", "log.retention.ms", "log.roll.jitter.ms", "log.roll.ms")
"""Configs without a default: a broker sets these in other units, such as hours or messages."""
_DYNAMIC = (
    Known(
        each.synonym,
        each.kind,
        None if each.synonym in _IN_OTHER_UNITS else each.default,
        values=each.values,
    )
    for each in OF_TOPIC.values()
    if each.synonym
)
OF_BROKER = _by_name(
    *_DYNAMIC,
    Known("auto.create.topics.enable", BOOLEAN, "true", read_only=True),
    Known("background.threads", INT, "10"),
    Known("default.replication.factor", INT, "1", read_only=True),
    Known("delete.topic.enable", BOOLEAN, "true", read_only=True),
    Known("log.cleaner.threads", INT, "1"),
    Known("max.connections", INT, "2147483647"),
    Known("node.id", INT, None, read_only=True),
    Known("num.io.threads", INT, "8"),
    Known("num.network.threads", INT, "3"),
    Known("num.partitions", INT, "1", read_only=True),
    Known("socket.request.max.bytes", INT, "104857600", read_only=True),
    Known("ssl.keystore.location", STRING, None),
    Known("ssl.keystore.password", PASSWORD, None),
)
OF_CLIENT_METRICS = _by_name(
    Known("interval.ms", INT, "300000"),
    Known("match", LIST, ""),
    Known("metrics", LIST, ""),
)
OF_GROUP = _by_name(
    Known("consumer.heartbeat.interval.ms", INT, "5000"),
    Known("consumer.session.timeout.ms", INT, "45000"),
)
