"""One change from a release to the next, of a definition of ours or of Apache Kafka 4.3.1."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.definitions.mutants.sample import SAMPLES
from conformance.schema.releases import definitions
from conformance.schema.text.texts import Text

KAFKA = "4.3.1"
_UNSTABLE = SAMPLES["SampleRequest.json"]
_PLAIN = """\
{
  "apiKey": 997,
  "type": "request",
  "name": "PlainRequest",
  "validVersions": "0-1",
  "flexibleVersions": "none",
  "fields": [
    { "name": "Name", "type": "string", "versions": "0+" },
    { "name": "Rows", "type": "[]Row", "versions": "0+", "fields": [
      { "name": "Count", "type": "int32", "versions": "0+" }
    ]}
  ]
}
"""
_OWN = {
    "SampleRequest.json": _UNSTABLE.replace('  "latestVersionUnstable": true,\n', ""),
    "UnstableRequest.json": _UNSTABLE.replace("SampleRequest", "UnstableRequest"),
    "PlainRequest.json": _PLAIN,
    "OpenPlainRequest.json": _PLAIN.replace(
        '"name": "PlainRequest"', '"name": "OpenPlainRequest",\n  "latestVersionUnstable": true'
    ),
}

Edit = tuple[str, str]


@dataclass(frozen=True)
class EvolutionMutant:
    """A change from one release to the next: in each of `edits` the first text becomes the second.

    `breaks` is its rule, "" for a valid change; `places` are the fields that the rule has to name,
    and the first finding stands in the line of `at`. `misread` says whether bytes show it.
    """

    name: str
    breaks: str
    says: str
    file: str
    edits: tuple[Edit, ...]
    places: tuple[str, ...] = ("",)
    at: str = ""
    misread: bool = True

    def old(self) -> list[Text]:
        return [Text(self.file, self._text())]

    def new(self) -> list[Text]:
        return [Text(self.file, self._changed())]

    @property
    def line(self) -> int:
        """The line of the first finding, counted from 1."""
        text = self._changed()
        return text.count("\n", 0, text.index(self.at or self.edits[0][1])) + 1

    def _text(self) -> str:
        return _OWN.get(self.file) or definitions(KAFKA).text(self.file.removesuffix(".json"))

    def _changed(self) -> str:
        text = self._text()
        for old, new in self.edits:
            assert text.count(old) == 1, f"{self.name}: {old!r} has to stand there once"
            text = text.replace(old, new)
        return text


def kafka_field(name: str, *lines: str, indent: int = 3) -> str:
    """Return the first lines of a field in the layout of Kafka's stored definitions."""
    blanks = " " * indent
    return f"{blanks[1:]}{{\n" + ",\n".join(
        f"{blanks}{line}" for line in (f'"name": "{name}"', *lines)
    )


def tagged(name: str, tag: int, since: str) -> str:
    """Return a tagged int32 field, written in one line of JSON."""
    versions = f'"versions": "{since}", "tag": {tag}, "taggedVersions": "{since}"'
    return f'{{ "name": "{name}", "type": "int32", {versions} }}'


LABEL = """\
{ "name": "Label", "type": "string", "versions": "2+", "nullableVersions": "2+",
        "tag": 0, "taggedVersions": "2+", "default": "null" }"""
SIZE = """\
{ "name": "Size", "type": "int64", "versions": "2+",
        "tag": 1, "taggedVersions": "2+", "default": "0x10" }"""
EPOCH = '{ "name": "Epoch", "type": "int32", "versions": "3+", "tag": 0, "taggedVersions": "3+" }'
CLIENT = '{ "name": "Client", "type": "string", "versions": "0+", "flexibleVersions": "none" }'
SHARE = '{ "name": "Share", "type": "float64", "versions": "0+", "default": "0.5" }'
NAME = '{ "name": "Name", "type": "string", "versions": "0+" }'
COUNT = '{ "name": "Count", "type": "int32", "versions": "0+" }'
ENDPOINTS = ('"type": "[]NodeEndpoint"', '"versions": "16+"')
SAMPLE, UNSTABLE_SAMPLE = "SampleRequest.json", "UnstableRequest.json"
PARTITION_CHANGE = "PartitionChangeRecord.json"
