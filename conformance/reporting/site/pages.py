"""The pages themselves: filled templates and the scripts that they load, with all given values
escaped.

Data is handed to a page as a script, which can't leave its quotes, whatever it holds. Everything
beyond ASCII is escaped, and so are `<`, `>` and `&`: neither `</script>` nor a line separator of
Unicode can end the text. Names that come from outside are never keys of an object.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from conformance import __version__
from conformance.reporting.site.counts import LETTERS, SIGNS, packed
from conformance.reporting.site.links import link
from conformance.results.lines import VERDICTS
from conformance.rules import CLASSES
from conformance.rules.cited import cited
from conformance.rules.pages import MEANING

STATIC = ("site.css", "common.js", "counts.js", "matrix.js", "bytes.js", "target.js")
"""The files of our own that every site has a copy of."""


@dataclass(frozen=True)
class Pages:
    """A renderer of templates for a site of this title, made at this time (ISO 8601)."""

    title: str
    written: str

    def page(self, template: str, root: str, **given: Any) -> str:
        """Return one page; `root` leads from it to the root of the site: "" or "../"."""
        return (
            _environment()
            .get_template(template)
            .render(
                site=self,
                root=root,
                suite_version=__version__,
                verdicts=VERDICTS,
                classes=CLASSES,
                meaning=MEANING,
                signs=SIGNS,
                letters=LETTERS,
                **given,
            )
        )


def static(name: str) -> str:
    """Return a file of our own."""
    return (files(__package__) / "static" / name).read_text("utf-8")


def _anchor(name: str) -> str:
    """Return a name for an address, in which a slash would separate parts."""
    return quote(name, safe="")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("conformance.reporting.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": lambda n: f"{n:,}",
        "issue_link": link,
        "packed": packed,
        "anchor": _anchor,
        "cited": cited,
    }
    return environment


_ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


def script(key: str, data: Any) -> str:
    """Return a call that hands the data to the page under this key."""
    return f"kafkaConformance.take({_literal(key)},{_literal(data)});\n"


def _literal(data: Any) -> str:
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).translate(_ESCAPED)
