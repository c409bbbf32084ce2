"""Small definitions to take apart: a right one, and changes of it."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def request(*fields: Json, **changes: Any) -> Json:
    """A request of two versions, of which the second is flexible."""
    content = {
        "apiKey": 999,
        "type": "request",
        "name": "SampleRequest",
        "validVersions": "0-1",
        "flexibleVersions": "1+",
        "fields": list(fields),
    }
    content.update(changes)
    return {key: value for key, value in content.items() if value is not None}


def field(name: str = "Count", type: str = "int32", **changes: Any) -> Json:
    """A field of all versions."""
    content = {"name": name, "type": type, "versions": "0+", **changes}
    return {key: value for key, value in content.items() if value is not None}


def text(content: Json) -> str:
    """As it stands in a file."""
    return json.dumps(content)
