"""Data as a script that a page loads, which can't leave its quotes, whatever it holds.

Everything beyond ASCII is escaped, and so are `<`, `>` and `&`: neither `</script>` nor a line
separator of Unicode can end the text. Names that come from outside are never keys of an object.
"""

from __future__ import annotations

import json
from typing import Any

_ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


def script(key: str, data: Any) -> str:
    """Return a call that hands the data to the page under this key."""
    return f"kafkaConformance.take({_literal(key)},{_literal(data)});\n"


def _literal(data: Any) -> str:
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).translate(_ESCAPED)
