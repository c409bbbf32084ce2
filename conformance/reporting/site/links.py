"""The addresses of public issues by their names.

Only https is ever linked to: names come from outside.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_KEY = re.compile(r"[A-Z]+-\d+")
_CVE = re.compile(r"CVE-\d{4}-\d+")
_NUMBERED = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")


def link(name: str) -> str:
    """Return the address of an issue (`owner/project#1`, `KAFKA-1`, `CVE-…`, or https), or ""."""
    if _CVE.fullmatch(name):
        return f"https://www.cve.org/CVERecord?id={name}"
    if _KEY.fullmatch(name):
        return f"https://issues.apache.org/jira/browse/{name}"
    if found := _NUMBERED.fullmatch(name):
        return f"https://github.com/{found[1]}/issues/{found[2]}"
    parts = urlsplit(name)
    return name if parts.scheme == "https" and parts.hostname else ""
