"""Plans: one question each, the same on every machine."""

from conformance.codecs.cases.decides import covers, predicates
from conformance.codecs.cases.evidence import Evidence
from conformance.codecs.cases.plan import plan
from conformance.codecs.cases.rules_of_edits import DERIVED_RULES
from conformance.rules import catalogue
from conformance.schema.layout import form
from conformance.schema.releases import definitions
from conformance.wire.reader import UNKNOWN_TAGS


def plans(message, version, release="4.4.0"):
    return {item.name: item for item in plan(form(definitions(release)[message], version, release))}


def rules(message, version, name):
    found = form(definitions("4.4.0")[message], version, "4.4.0")
    item = plans(message, version)[name]
    return covers(Evidence(found, item.shape, item.about, item.value))


def test_every_field_is_filled_with_another_value_than_its_default():
    value = plans("MetadataRequest", 12)["filled"].value
    defaults = plans("MetadataRequest", 12)["defaults"].value
    assert value.keys() == defaults.keys()
    assert all(value[name] != defaults[name] for name in value)


def test_a_null_is_the_only_change():
    found = plans("MetadataRequest", 12)
    assert found["null-topics"].value == {**found["filled"].value, "topics": None}


def test_each_tagged_field_is_set_alone():
    found = plans("ApiVersionsResponse", 3)
    added = found["tagged-finalizedFeaturesEpoch"].value.keys() - found["filled"].value.keys()
    assert added == {"finalizedFeaturesEpoch"}


def test_a_tagged_zero_that_is_no_default_is_asked_about():
    assert (
        plans("ApiVersionsResponse", 3)["tagged-zero-finalizedFeaturesEpoch"].value[
            "finalizedFeaturesEpoch"
        ]
        == 0
    )


def test_unknown_tags_stand_in_first_elements_only():
    value = plans("MetadataResponse", 12)["unknown-tag-in-array"].value
    assert UNKNOWN_TAGS in value["brokers"][0]
    assert UNKNOWN_TAGS not in value["brokers"][1]


def test_a_version_that_is_not_flexible_has_no_unknown_tags():
    assert not any(name.startswith("unknown") for name in plans("MetadataRequest", 8))


def test_arrays_of_structs_are_long_in_the_first_flexible_version_alone():
    found = {name for name in plans("ApiVersionsResponse", 3) if name.startswith("elements")}
    assert found == {f"elements-apiKeys-{count}" for count in (126, 127, 128)}
    assert not any(name.startswith("elements") for name in plans("ApiVersionsResponse", 4))


def test_the_elements_of_a_long_array_differ():
    value = plans("ApiVersionsResponse", 3)["elements-apiKeys-128"].value["apiKeys"]
    assert len(value) == 128
    assert len({item["apiKey"] for item in value}) > 100


def test_plans_are_the_same_each_time():
    assert plans("FetchResponse", 17) == plans("FetchResponse", 17)


def test_every_rule_is_decided_by_a_predicate_or_an_edit():
    codec = {"codec-decode", "codec-encode"}
    of_codecs = {rule.id for rule in catalogue().values() if codec & set(rule.applies)}
    assert set(predicates()) | DERIVED_RULES == of_codecs


def test_a_null_decides_the_rules_of_null_and_no_others():
    assert rules("MetadataRequest", 8, "null-topics") == (
        "primitives.null-array",
        "versions.nullable-from-version",
    )


def test_the_first_flexible_version_decides_that_border():
    assert rules("MetadataRequest", 9, "filled") == ("compact.first-flexible-version",)
    assert rules("MetadataRequest", 8, "filled") == ("compact.first-flexible-version",)


def test_an_unknown_tag_decides_that_it_is_skipped():
    assert "tags.unknown-skipped" in rules("MetadataRequest", 12, "unknown-tag")
