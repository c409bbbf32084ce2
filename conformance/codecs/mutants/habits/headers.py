"""Habits with the headers of frames: one version of the header before all bodies."""

from __future__ import annotations

from conformance.codecs.mutants.habits.drafts import Habit
from conformance.schema.layout import Form


class ResponseHeaderNeverFlexible(Habit):
    """Has response header version 0 before flexible responses as well."""

    led_by = "response-header.flexible-adds-tags"

    def header_form(self, form: Form) -> Form:
        """Return the header without a tag section."""
        return (
            self.form("ResponseHeader", 0) if form.type == "response" else super().header_form(form)
        )


class RequestHeaderNeverFlexible(Habit):
    """Has request header version 1 before flexible requests as well."""

    led_by = "request-header.flexible-adds-tags"

    def header_form(self, form: Form) -> Form:
        """Return the header without a tag section."""
        found = super().header_form(form)
        return self.form("RequestHeader", 1) if found.version == 2 else found


class ResponseHeaderFlexibleForAll(Habit):
    """Has response header version 1 before flexible responses, ApiVersions as well."""

    led_by = "response-header.api-versions-stays-v0"

    def header_form(self, form: Form) -> Form:
        """Return the header with a tag section."""
        is_flexible = form.type == "response" and form.flexible
        return self.form("ResponseHeader", 1) if is_flexible else super().header_form(form)
