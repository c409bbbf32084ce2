"""The harm and the remedy of a malformed frame that hurts more than its connection to a proxy.

One rule is broken by a process that ends, by memory that runs out, by a connection to the broker
that is lost for all, and by clients that wait for one another. Each hurts in another way, and is
mended at another place.
"""

from __future__ import annotations

from conformance.reporting.harms import used_up_memory
from conformance.reporting.observed import Observed
from conformance.results.aftermath import AFTERMATHS, CUT, LOST, STOPPED, WAITED
from conformance.results.lines import FORWARD, Verdict

_HARDENING = "proxy-hardening."
_OF_REQUESTS = f"{_HARDENING}malformed-requests-survived"
_ENDED, _MEMORY = "ended", "memory"
_BY = {True: "One request of any client", False: "One answer of a broken broker"}
_SAYS = {
    True: "can be ended by one malformed request",
    False: "can be ended by one malformed answer of a broker",
}
_HARMS = {
    CUT: "{} ends the connections of other clients, and what they had under way is lost.",
    WAITED: "{} lets all other clients wait.",
    LOST: "{} cuts all clients off from the broker, until the proxy is started again.",
    STOPPED: "{} stops the traffic of all, until the proxy is started again.",
    _ENDED: "{} ends the process, and with it the connections of all clients.",
    _MEMORY: "{} has the process take all memory, which ends it, and the connections of all.",
}
"""The harm of what was seen."""
_REMEDIES = {
    CUT: "Give each client a connection to the broker of its own, "
    "or ask again on another one what was under way when a shared one ends.",
    WAITED: "Hold no lock on a connection to the broker while an answer is due: "
    "give each client one of its own, or match answers to requests by their correlation ids.",
    LOST: "Connect to the broker again when the connection to it has ended, "
    "and give each client one of its own, so that no request ends those of others.",
    STOPPED: "End the one connection on what can not be read, and free what it held: "
    "locks, tasks, and its place in a pool.",
    _ENDED: "Return an error where a frame can not be read, and end that one connection on it: "
    "no panic, no unchecked count or index may end the process.",
    _MEMORY: "Check each size and count against the bytes that are left in the frame "
    "before memory is taken for it.",
}
"""The remedy for what was seen."""


def sort_of_harm(verdict: Verdict) -> str:
    """Return what a malformed frame did to a proxy, "" for any other verdict."""
    if verdict.op != FORWARD or not verdict.rule.startswith(_HARDENING):
        return ""
    if verdict.verdict == "crash":
        return _MEMORY if used_up_memory(verdict) else _ENDED
    return next((each for each in AFTERMATHS if verdict.detail.endswith(each)), "")


def harm_seen(rule: str, sort: str) -> Observed | None:
    """Return the harm and the remedy of what was seen, None if nothing is known of it."""
    if sort not in _HARMS:
        return None
    is_request = rule == _OF_REQUESTS
    says = _SAYS[is_request] if sort in (_ENDED, _MEMORY) else ""
    return Observed(says, rule, _HARMS[sort].format(_BY[is_request]), _REMEDIES[sort])
