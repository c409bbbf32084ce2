"""The first request of a connection: ApiVersions of version 0, which every client can send.

A broker that does not answer it is not taken for one by most clients. In which form the answer is
written is judged by `api_lists`, and its correlation id with those of all other answers.
"""

from __future__ import annotations

import struct

from conformance.api_keys import API_VERSIONS
from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.other_forms import whole_in
from conformance.brokers.dialogues.talk import GREETED, Talk
from conformance.dialogue import Broken, Dialogue, NotApplicable, Send
from conformance.error_codes import UNSUPPORTED_VERSION

FORM = "api-versions.version-0-has-list-alone"
EXPECTED = "error 0 and a list of APIs in a body of version 0"
LIST_OFFSET = 10
"""The offset of the entries: after correlation id, error code and their number."""


@question(GREETED)
def _first_request(talk: Talk) -> Dialogue:
    number = talk.number()
    yield Send(talk.frame("ApiVersions", 0, {}, number))
    frame = yield from talk.echo("ApiVersions", 0, number)
    if 0 not in whole_in(talk.codec, "ApiVersionsResponse", frame):
        raise Broken("the answer has another form", EXPECTED, frame, judged_by=FORM)
    (error,) = struct.unpack_from(">h", frame, 4)
    listed = {key: low for key, low, _ in struct.iter_unpack(">hhh", frame[LIST_OFFSET:])}
    if error == UNSUPPORTED_VERSION and listed.get(API_VERSIONS, 0) > 0:
        raise NotApplicable(f"the broker has ApiVersions from v{listed[API_VERSIONS]} on")
    if error:
        raise Broken(f"ApiVersions v0 is answered with error {error}", EXPECTED, frame)
    if not listed:
        raise Broken("the answer to ApiVersions v0 lists no API", EXPECTED, frame)
    if API_VERSIONS not in listed:
        what = f"the answer to ApiVersions v0 does not list ApiVersions itself ({API_VERSIONS})"
        raise Broken(what, EXPECTED, frame)
