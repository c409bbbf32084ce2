"""SASL tokens without a header, as they are exchanged after SaslHandshake v0 (KIP-43).

Such a frame is a length and the token of a mechanism; SaslAuthenticate has carried tokens since
KIP-152. A token is recognised by its place after the handshake, or by its own form.
"""

from __future__ import annotations

import json
import re
import struct

from conformance.explain.explainer import LENGTH
from conformance.explain.explanation import Explanation
from conformance.wire.annotated import Row
from conformance.wire.text import bytes_to_text

_BASE64 = rb"[0-9A-Za-z+/]+={0,2}"
_FORMS = {
    "SCRAM, the client's first": rb"(?:[ny]|p=[\w.-]+),(?:a=[^,]*)?,n=[^,]*,r=[!-~]+",
    "SCRAM, the server's first": rb"r=[!-+\--~]+,s=%b,i=\d+(?:,[ -~]*)?" % _BASE64,
    "SCRAM, the client's last": rb"c=%b,r=[!-~]+,p=%b" % (_BASE64, _BASE64),
    "SCRAM, the server's last": rb"v=%b|e=[a-z-]+" % _BASE64,
    "OAUTHBEARER": rb"n,(?:a=[^,]*)?,\x01(?:[^\x01]*\x01)*auth=Bearer [^\x01]+\x01\x01",
    "PLAIN": rb"[^\0-\x1f]*\0[^\0-\x1f]+\0[^\0-\x1f]+",
}
_LENGTH_BYTES = 4


def mechanism_of(token: bytes) -> str:
    """Return the mechanism whose tokens have this form, "" for none."""
    return next((name for name, form in _FORMS.items() if re.fullmatch(form, token, re.S)), "")


def explained(data: bytes, *, framed: bool) -> Explanation:
    """Explain a token, with its length in front if it is `framed`."""
    at = _LENGTH_BYTES if framed else 0
    token = data[at:]
    mechanism = mechanism_of(token)
    title = f"a SASL token{f' ({mechanism})' if mechanism else ''}, {len(data)} bytes"
    rows = []
    if framed:
        (size,) = struct.unpack_from(">i", data)
        rows.append(Row(0, data[:at], LENGTH, "int32", size, str(size)))
    text = bytes_to_text(token)
    shown = json.dumps(token.decode("ascii")) if token.isascii() else f'"{text}"'
    rows.append(Row(at, token, "token", "sasl", text, shown))
    return Explanation(title, tuple(rows), ("without a header, as after SaslHandshake v0",))
