"""The keys that Apache Kafka's generator knows in a definition; it refuses any other."""

from __future__ import annotations

STRUCT_KEYS = frozenset({"name", "versions", "deprecatedVersions", "fields", "about"})
MESSAGE_KEYS = frozenset(
    {
        "about",
        "apiKey",
        "commonStructs",
        "deprecatedVersions",
        "fields",
        "flexibleVersions",
        "headerVersions",
        "latestVersionUnstable",
        "listeners",
        "name",
        "type",
        "validVersions",
    }
)
FIELD_KEYS = frozenset(
    {
        "about",
        "default",
        "entityType",
        "fields",
        "flexibleVersions",
        "ignorable",
        "mapKey",
        "name",
        "nullableVersions",
        "tag",
        "taggedVersions",
        "type",
        "versions",
        "zeroCopy",
    }
)
