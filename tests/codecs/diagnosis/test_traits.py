"""What messages have in common that fail, where no message has it that passes."""

from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.codecs.diagnosis.traits import BREAKS, common, is_true_of, untrue
from conformance.rules import catalogue

MESSAGES = ("MetadataRequest", "ProduceResponse", "SaslAuthenticateRequest", "FetchRequest")
VECTORS = [vector for message in MESSAGES for vector in read_vectors(message)]


def told(fails) -> set[str]:
    """The traits of decoding that fails on some of the vectors and on no others."""
    failed = [f"{vector.id}/decode" for vector in VECTORS if fails(vector)]
    passed = [f"{vector.id}/decode" for vector in VECTORS if not fails(vector)]
    assert len(failed) > 2
    found = common(failed, passed, "4.4.0")
    assert found.keys() <= set(failed)
    return set(found.values())


def holds_null_topics(vector: Vector) -> bool:
    return vector.message == "MetadataRequest" and vector.value["topics"] is None


def test_a_value_is_told_by_its_type() -> None:
    assert told(holds_null_topics) == {"an array of structs is null"}


def test_the_first_flexible_version_is_told_of_several_messages() -> None:
    first = {
        "MetadataRequest": 9,
        "ProduceResponse": 9,
        "FetchRequest": 12,
        "SaslAuthenticateRequest": 2,
    }
    said = told(lambda vector: first.get(vector.message) == vector.version)
    assert said == {"its version is the first flexible one"}


def test_a_message_is_told_where_all_of_it_fails() -> None:
    assert told(lambda vector: vector.message == "ProduceResponse") == {"it is a ProduceResponse"}


def test_what_passes_as_often_is_not_told() -> None:
    every_other = {vector.id for vector in VECTORS[::2]}
    assert told(lambda vector: vector.id in every_other) == set()


def test_what_was_changed_tells_nothing() -> None:
    changed = [f"{vector.id}/decode/truncated" for vector in VECTORS if holds_null_topics(vector)]
    assert common(changed, [], "4.4.0") == {}


def test_what_a_trait_breaks_is_a_rule() -> None:
    assert set(BREAKS.values()) <= catalogue().keys()


def test_a_trait_is_true_of_a_case_or_not() -> None:
    trait, case = "its protocolName is not ''", "JoinGroupResponse-v0-only"
    assert is_true_of(trait, f"{case}-protocolName/decode", "4.4.0")
    assert not is_true_of(trait, f"{case}-members/decode", "4.4.0")


def test_a_trait_is_untrue_where_a_failed_case_lacks_it_or_a_passed_one_has_it() -> None:
    case, trait = "JoinGroupResponse-v0-only-{}/decode", "its protocolName is not ''"
    name, members = case.format("protocolName"), case.format("members")
    where = {"a": trait}
    assert untrue(where, {"a": [name]}, [members], "4.4.0") == set()
    assert untrue(where, {"a": [name, members]}, [], "4.4.0") == {"a"}
    assert untrue(where, {"a": [name]}, [case.format("protocolName")], "4.4.0") == {"a"}


def test_an_array_with_an_element_is_told_by_its_name() -> None:
    vectors = [v for v in read_vectors("JoinGroupResponse") if v.header is None]
    failed = [f"{v.id}/decode" for v in vectors if v.value["members"]]
    passed = [f"{v.id}/decode" for v in vectors if not v.value["members"]]
    for message in ("MetadataResponse", "SaslAuthenticateRequest"):
        passed += [f"{v.id}/decode" for v in read_vectors(message)]
    assert set(common(failed, passed, "4.4.0").values()) == {"its members has an element"}
