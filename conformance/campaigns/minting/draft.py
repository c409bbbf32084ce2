"""A vector before oracles have voted on its bytes."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.codecs.cases.evidence import Evidence
from conformance.schema.layout import Form
from conformance.schema.releases import wire_forms


@dataclass(frozen=True, slots=True)
class Draft:
    """A vector before the vote: the value to be written, and our own bytes for it."""

    evidence: Evidence
    name: str
    comment: str
    data: bytes

    @property
    def form(self) -> Form:
        """The wire form."""
        return self.evidence.form

    @property
    def id(self) -> str:
        """The vector's id, with the release if the version has another form in a newer one."""
        form = self.form
        newest = wire_forms(form.message)[form.version][0]
        apart = form.unstable or form.releases != newest.releases
        release = f"@{form.releases[0]}" if apart else ""
        return f"{form.message}-v{form.version}{release}-{self.name}"
