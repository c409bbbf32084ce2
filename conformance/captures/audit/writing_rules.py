"""Which rule for writers a frame breaks, by the fault that its reader found.

The reader's errors are about reading: "null where none may be" asks a reader to refuse. Here the
same fault is charged to the writer of the bytes. Two faults shift all bytes that follow and show up
somewhere else: a header of the other version, and a body of another version than was requested. So
these are tried first, and count only if a writer of that header and body would have written exactly
this frame.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.api_keys import API_VERSIONS
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import Form
from conformance.schema.releases import UnknownDefinition
from conformance.wire.errors import (
    DecodeError,
    EncodeError,
    LengthError,
    NullNotAllowed,
)
from conformance.wire.frames import header_version

READ = "versions.field-types"
READABLE = "client-requests.readable"
NOTHING_BEHIND = "framing.nothing-after-end"
REQUEST_V0 = "request-header.controlled-shutdown-v0"
REQUEST_TAGS = "request-header.flexible-adds-tags"
RESPONSE_TAGS = "response-header.flexible-adds-tags"
STAYS_V0 = "response-header.api-versions-stays-v0"
OTHER_VERSION = "response-header.body-has-request-version"
BOOLEAN = "primitives.boolean-one-or-zero"
ASCENDING = "tags.ascending"
_WORDS: tuple[tuple[str, str], ...] = (
    ("after the last field", NOTHING_BEHIND),
    ("a varint longer than it need be", "primitives.varint-shortest"),
    ("a varint", "primitives.varint-groups"),
    ("that are not UTF-8", "primitives.string-plain-utf8"),
    ("marker ", "nullable-structs.present-marker"),
    (" after tag ", ASCENDING),
    (" has size ", "tags.size-is-plain-length"),
    (" of other versions", "tags.of-other-version-not-written"),
    ("is no 31-bit number", "tags.section-layout"),
    (" tagged fields, ", "tags.count-matches-entries"),
)
"""The rules by words of a reader's error.

The lenient reader has the words of the strict one, but one exception type for all faults.
"""


def rule_of(error: DecodeError, form: Form) -> str:
    """Return the rule for writers that a reader's error, or a forgiven fault, is about."""
    said = next((rule for words, rule in _WORDS if words in error.reason), "")
    if said:
        return said
    if isinstance(error, NullNotAllowed):
        return f"{'compact' if form.flexible else 'primitives'}.null-not-written"
    if error.path.split("(")[0].endswith("_tags"):
        is_size = isinstance(error, LengthError)
        return "tags.size-is-plain-length" if is_size else "tags.section-ends-struct"
    return unexplained(form)


def unexplained(form: Form) -> str:
    """Return the rule that an unreadable frame breaks if no more exact rule is known."""
    return READABLE if form.type == "request" else READ


def otherwise(codec: PlainCodec, form: Form, frame: bytes) -> Iterator[tuple[str, str]]:
    """Yield other ways to read the whole frame: the rule that is broken then, and why."""
    name, version = codec.header_form(form).message, codec.header_form(form).version
    for other in range(3 if form.type == "request" else 2):
        if other != version and _reads(codec, [codec.form(name, other), form], frame):
            what = f"it has {name} version {other}, and {form.message} v{form.version} has"
            yield _header_rule(form, other), f"{what} {name} version {version}"
    if form.type == "response":
        yield from _of_other_version(codec, form, frame)


def _header_rule(form: Form, found: int) -> str:
    """Return the rule that a header of version `found` breaks where another version is expected."""
    if form.type == "request":
        return REQUEST_V0 if 0 in (found, header_version(form)) else REQUEST_TAGS
    return STAYS_V0 if form.api_key == API_VERSIONS else RESPONSE_TAGS


def _of_other_version(codec: PlainCodec, form: Form, frame: bytes) -> Iterator[tuple[str, str]]:
    for version in codec.versions(form.message):
        if version == form.version:
            continue
        try:
            other = codec.form(form.message, version)
        except UnknownDefinition:
            continue
        if _reads(codec, [codec.header_form(other), other], frame):
            what = f"it is {form.message} v{version}, and v{form.version} was asked for"
            yield OTHER_VERSION, what


def _reads(codec: PlainCodec, forms: list[Form], frame: bytes) -> bool:
    """True if a writer of these forms would write exactly this frame."""
    offset, written = 0, b""
    try:
        for form in forms:
            value, offset = codec.read(form, frame, offset)
            written += codec.write(form, value)
    except (DecodeError, EncodeError):
        return False
    return written == frame
