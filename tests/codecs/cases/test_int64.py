"""64-bit integers as text, for targets that can not take them as numbers."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest

from conformance.codecs.cases.values.int64 import int64_as_text
from conformance.testee_protocol import Hello, Support

ALL = frozenset({"encode"})


def hello(release: str = "4.4.0") -> Hello:
    messages = {"OffsetFetchResponse": Support(((0, 10),), ALL)}
    return Hello(name="x", version="1", ops=ALL, messages=messages, definitions=release)


VALUE = {
    "throttleTimeMs": 3,
    "groups": [
        {
            "groupId": "g",
            "topics": [
                {
                    "name": "t",
                    "partitions": [
                        {
                            "partitionIndex": 1,
                            "committedOffset": 2**53 + 1,
                            "committedLeaderEpoch": -1,
                            "metadata": None,
                            "errorCode": 0,
                        }
                    ],
                }
            ],
            "errorCode": 0,
        }
    ],
}


def test_only_int64_fields_become_text_at_any_depth() -> None:
    text = json.dumps(int64_as_text(hello(), "OffsetFetchResponse", 8, VALUE))
    assert text == json.dumps(VALUE).replace(str(2**53 + 1), f'"{2**53 + 1}"')


def test_the_value_itself_stays_as_it_is() -> None:
    before = deepcopy(VALUE)
    int64_as_text(hello(), "OffsetFetchResponse", 8, VALUE)
    assert before == VALUE


def test_tagged_fields_and_unknown_ones_are_walked_or_left() -> None:
    unknown = [{"tag": 99, "bytes": "AA=="}]
    value = {"clusterId": None, "fooBar": 2**40, "_unknownTaggedFields": unknown}
    assert int64_as_text(hello(), "FetchRequest", 12, value) == value
    epoch = {"replicaState": {"replicaId": 1, "replicaEpoch": 7}}
    assert int64_as_text(hello(), "FetchRequest", 15, epoch) == {
        "replicaState": {"replicaId": 1, "replicaEpoch": "7"}
    }


@pytest.mark.parametrize("release", ["4.4.0", "3.9.2", "", "2.8.0", "9.9.9"])
def test_any_release_that_a_target_names_will_do(release: str) -> None:
    wanted = {"timestamp": "-1"}
    value = {"topics": [{"partitions": [{"timestamp": -1}]}]}
    found = int64_as_text(hello(release), "ListOffsetsRequest", 1, value)
    assert found == {"topics": [{"partitions": [wanted]}]}


def test_the_value_of_a_version_that_nobody_has_is_left() -> None:
    assert int64_as_text(hello(), "OffsetFetchResponse", 99, VALUE) is VALUE
