"""Defects that released codecs had, each public and fixed since, and the rule that each breaks."""

from dataclasses import dataclass, replace

import pytest


@dataclass(frozen=True)
class Pin:
    """A release with a defect and one without it, and the messages that show it.

    The messages have the stored definitions' form in each version that the broken release has.
    `keeps` is a rule that it keeps on them: what is found is then the defect, and not an adapter
    that fails whatever it is asked.
    """

    broken: str
    fixed: str
    rule: str
    keeps: str
    messages: tuple[str, ...]
    public: str
    what: str

    def __str__(self) -> str:
        return f"{self.broken} {self.rule}"


ARRAYS_OF_ANY_LENGTH = Pin(
    broken="kafka-clients@3.2.0",
    fixed="kafka-clients@3.2.3",
    rule="primitives.length-beyond-input-refused",
    keeps="versions.field-types",
    messages=("MetadataRequest",),
    public="CVE-2022-34917; found as KAFKA-14063, apache/kafka#12399",
    what="It takes memory for as many elements or bytes as a length announces.",
)
TAGS_OF_ANY_SIZE = replace(
    ARRAYS_OF_ANY_LENGTH,
    rule="tags.size-beyond-input-refused",
    what="It takes memory for as many bytes as an unknown tagged field announces.",
)
TAG_WITHOUT_SIZE = Pin(
    broken="kafka-python-2@2.3.0",
    fixed="kafka-python@3.0.12",
    rule="tags.unknown-empty-value",
    keeps="versions.field-types",
    messages=("AlterPartitionReassignmentsRequest", "AlterPartitionReassignmentsResponse"),
    public="dpkp/kafka-python#2725, in 2.3.1 and 3.0.0",
    what="It writes a tagged field without its size, so that of an empty one only the tag is left.",
)
TAG_WITHOUT_SIZE_IN_ELEMENT = replace(
    TAG_WITHOUT_SIZE,
    rule="tags.unknown-skipped-in-element",
    what="It writes a tagged field without its size, and what follows the element is lost.",
)
TAGGED_STRUCT_LEFT_OUT = Pin(
    broken="kio-0@0.2.0",
    fixed="kio@0.6.5",
    rule="tags.absent-reads-default",
    keeps="tags.section-layout",
    messages=("FetchSnapshotResponse", "FetchResponse"),
    public="Aiven-Open/kio#215, fixed by #216 in 0.3.0",
    what="It refuses a partition that leaves out CurrentLeader, a tagged struct.",
)

TAGS_UNSORTED = Pin(
    broken="kmsg@1.1.0",
    fixed="kmsg@1.15.0",
    rule="tags.unknown-merged-in-order",
    keeps="tags.size-is-plain-length",
    messages=("MetadataResponse", "CreateTopicsRequest"),
    public="twmb/franz-go@694c7ae, in pkg/kmsg 1.2.0",
    what="It writes the tags that it does not know in the order of a Go map.",
)
DEFAULT_TAG_WRITTEN_EARLY = Pin(
    broken="kmsg@1.11.0",
    fixed="kmsg@1.15.0",
    rule="versions.only-fields-of-version",
    keeps="primitives.string-length-int16",
    messages=("FetchRequest",),
    public="twmb/franz-go#961, fixed by #962",
    what="It writes a tagged field in versions below those that have it.",
)
OTHER_WIDTHS = Pin(
    broken="kmsg@1.12.0",
    fixed="kmsg@1.15.0",
    rule="versions.field-types",
    keeps="tags.unknown-kept",
    messages=("AlterPartitionRequest", "AddRaftVoterRequest", "UpdateRaftVoterRequest"),
    public="twmb/franz-go#1265, in pkg/kmsg 1.13.0",
    what="Numbers have other widths than in the definitions.",
)
NULL_OF_A_RECORD = Pin(
    broken="platformatic-kafka@1.22.0",
    fixed="platformatic-kafka@1.27.0",
    rule="records.null-is-minus-one",
    keeps="records.lengths-are-bytes",
    messages=("RecordBatch",),
    public="platformatic/kafka#217, in 1.27.0",
    what="It reads the null of a key or value as an empty one.",
)

ARRAY_OF_ANY_COUNT = Pin(
    broken="sarama@1.48.2",
    fixed="sarama@1.61.1",
    rule="primitives.length-beyond-input-refused",
    keeps="versions.field-types",
    messages=("MetadataResponse",),
    public="IBM/sarama#3543 and #3546, in 1.49.0; arrays of structs in 1.50.0",
    what="It takes memory for as many elements as a compact count announces.",
)
SOURCE_AS_BOOLEAN = Pin(
    broken="kafka-python-2@2.0.2",
    fixed="kafka-python-2@2.3.3",
    rule="versions.field-types",
    keeps="primitives.short-input-refused",
    messages=("DescribeConfigsResponse",),
    public="dpkp/kafka-python#2206, landed as #2464",
    what="It reads the source of a config as a boolean, and writes 1 for any.",
)

PINS = [
    pytest.param(ARRAYS_OF_ANY_LENGTH, marks=pytest.mark.java),
    pytest.param(TAGS_OF_ANY_SIZE, marks=pytest.mark.java),
    TAG_WITHOUT_SIZE,
    TAG_WITHOUT_SIZE_IN_ELEMENT,
    TAGGED_STRUCT_LEFT_OUT,
    TAGS_UNSORTED,
    DEFAULT_TAG_WRITTEN_EARLY,
    OTHER_WIDTHS,
    NULL_OF_A_RECORD,
    ARRAY_OF_ANY_COUNT,
    SOURCE_AS_BOOLEAN,
]
