"""A codec with one reader and one writer has a defect in its headers as well: one cause."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.mutants import mutants
from conformance.codecs.mutants.mutant import Mutant
from conformance.reference.codec import PlainCodec
from conformance.reporting.breaches import in_a_clause
from tests.codecs.diagnosis.unseen_quick.quick import quick_results

MESSAGES = (
    *("RequestHeader", "ResponseHeader", "HeartbeatRequest", "HeartbeatResponse"),
    *("ApiVersionsRequest", "FetchResponse", "MetadataRequest"),
)
OF_BOTH = ("UnknownTagsAsGiven", "TagSizePlusOne", "UnknownTagsDescending")


class OneForAll(PlainCodec):
    """A codec that reads and writes headers as it does bodies, and offers both as messages."""

    name = "one-for-all"

    def hello(self) -> dict[str, Any]:
        said = super().hello()
        return {**said, "messages": {name: said["messages"][name] for name in MESSAGES}}


def with_the_defect_of(mutant: type[Mutant]) -> OneForAll:
    """A codec that has a mutant's reader and writer for all that it reads and writes."""
    codec = OneForAll()
    codec.reader, codec.writer = mutant.reader, mutant.writer
    return codec


@pytest.mark.parametrize("name", OF_BOTH)
def test_a_defect_in_bodies_and_headers_is_one_finding(name: str) -> None:
    mutant = mutants()[name]
    [finding] = quick_results(with_the_defect_of(mutant)).findings
    says = mutant.says().removesuffix(".")
    assert in_a_clause(finding).startswith(says[0].lower() + says[1:])


def test_a_defect_in_headers_alone_is_not_put_down_to_bodies() -> None:
    class InHeaders(OneForAll):
        def write(self, form: Any, value: Any) -> bytes:
            kind = mutants()["UnknownTagsAsGiven"] if form.type == "header" else PlainCodec
            writer = kind.writer()
            writer.struct(form.layout, value)
            return bytes(writer.out)

    [finding] = quick_results(InHeaders()).findings
    assert not finding.diagnosis
    assert "RequestHeader" in finding.cause
