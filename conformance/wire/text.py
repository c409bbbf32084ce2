"""The JSON form of the kinds of values that JSON lacks (docs/testee-protocol.md).

`bytes` and `records` are padded base64, a uuid is Kafka's url-safe base64 without padding, and
floats that JSON can't carry are words. The readers here refuse other forms.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from math import inf, isfinite, isnan, nan
from typing import Any

URL_SAFE = bytes.maketrans(b"+/", b"-_")
_FLOATS = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}


def bytes_to_text(data: bytes) -> str:
    """Padded base64 of `data`."""
    return b2a_base64(data, newline=False).decode("ascii")


def text_to_bytes(text: str) -> bytes:
    """The bytes of padded base64. Raises ValueError or TypeError."""
    if not isinstance(text, str):
        raise TypeError(f"base64 text expected, not {type(text).__name__}")
    return a2b_base64(text, strict_mode=True) if text else b""


def uuid_to_text(data: bytes) -> str:
    """The 22 letters of a uuid's 16 bytes."""
    return b2a_base64(data)[:22].translate(URL_SAFE).decode()


def text_to_uuid(text: str) -> bytes:
    """The 16 bytes of a uuid's 22 letters. Raises ValueError or TypeError."""
    if not isinstance(text, str) or len(text) != 22 or "+" in text or "/" in text:
        raise ValueError("a uuid is 22 letters of url-safe base64")
    data = a2b_base64(text.replace("-", "+").replace("_", "/") + "==")
    if len(data) != 16 or text[-1] not in "AQgw":
        raise ValueError("a uuid is url-safe base64, its last 4 bits zero")
    return data


def float_to_text(value: float) -> float | str:
    """Return a float as JSON can hold it: "NaN" and the infinities are strings."""
    if isfinite(value):
        return value
    return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


def text_to_float(value: Any) -> float:
    """A float, from a number or one of the three words. Raises ValueError or TypeError."""
    if isinstance(value, str):
        if value not in _FLOATS:
            raise ValueError(f"{value!r} is no float")
        return _FLOATS[value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"a number expected, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError("an integer beyond all floats") from None
