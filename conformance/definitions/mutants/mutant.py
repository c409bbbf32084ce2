"""One edit of the sample definitions."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.definitions.mutants.sample import SAMPLES
from conformance.schema.text.texts import Text


@dataclass(frozen=True)
class DefinitionMutant:
    """A defect: `old`, which stands once in the sample `file`, becomes `new`.

    `breaks` is its rule and `says` what is wrong, in a sentence. `place` is the field that the rule
    has to name, and the finding stands in the line of `at`, which is `new` where it is empty.
    """

    name: str
    breaks: str
    says: str
    old: str
    new: str
    place: str = ""
    at: str = ""
    file: str = "SampleRequest.json"

    def texts(self) -> list[Text]:
        return [
            Text(name, self._broken(text) if name == self.file else text)
            for name, text in SAMPLES.items()
        ]

    @property
    def line(self) -> int:
        """The line of the defect, counted from 1."""
        text = self._broken(SAMPLES[self.file])
        sought = self.at or self.new
        start = text.index(sought) + len(sought) - len(sought.lstrip("\n"))
        return text.count("\n", 0, start) + 1

    def _broken(self, text: str) -> str:
        assert text.count(self.old) == 1, f"{self.name}: {self.old!r} has to stand there once"
        return text.replace(self.old, self.new)
