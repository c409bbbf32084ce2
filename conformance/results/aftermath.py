"""The words on what a malformed frame did to a proxy beside its own connection.

They stand at the end of a verdict's detail, where they say which harm was seen.
"""

from __future__ import annotations

CUT = "; other connections end with it, and clients that come later are served"
"""Connections of other clients were lost."""
WAITED = "; other clients wait until its connection has ended"
"""One connection to the broker serves all clients, and a stalled answer holds it."""
LOST = "; its process runs on, and connects to the broker no more: no client is served"
"""The one connection to the broker was lost, and is never made again."""
STOPPED = "; its process runs on, and no client is served any more"
"""Nothing is served, though the proxy still connects to the broker."""
GONE = "nobody answers any more: "
"""The begin of the detail of a crash."""
AFTERMATHS = (CUT, WAITED, LOST, STOPPED)
