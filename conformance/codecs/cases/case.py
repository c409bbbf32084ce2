"""A case: one request to a codec, and what may come back.

Cases come in families. A family holds one golden vector asked in every way that the target knows,
and the single edits of it that must be refused; its members prove each other,
so a family is asked and judged as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from conformance.schema.layout import Layout
from conformance.testee_protocol import Request


@dataclass(frozen=True, slots=True)
class Reads:
    """The bytes must be read to this value, with nothing left over.

    `header` comes with its own layout where the bytes are a frame. `keeps_tags` says whether the
    codec promised to hand on the tags that it does not know. `version` is the one that a response
    must be said to have where it is not the one that was asked (KIP-511). `or_value` is another
    value that is as good.
    """

    value: Any
    layout: Layout
    header: dict[str, Any] | None = None
    header_layout: Layout | None = None
    keeps_tags: bool = True
    version: int | None = None
    or_value: Any = None


@dataclass(frozen=True, slots=True)
class Writes:
    """The answer must be one of these byte strings, the first being the canonical one.

    `layouts` are those that the bytes consist of, one after another, to name the first difference.
    `without_tags` is what a codec writes that drops tags which it promised to keep. `alike` is the
    value of bytes that need not be the same, where compressed ones differ, or the bits of a NaN
    that was given by its name: to say it is enough.
    """

    options: tuple[bytes, ...]
    layouts: tuple[Layout, ...]
    without_tags: bytes | None = None
    alike: Any = None


@dataclass(frozen=True, slots=True)
class Refuses:
    """The bytes are malformed, and must be refused; `why` says what is wrong with them."""

    why: str


@dataclass(frozen=True, slots=True)
class RefusesOrWrites:
    """The bytes are legal, but no codec writes them so: refuse them, or write the usual form."""

    why: str
    writes: Writes


@dataclass(frozen=True, slots=True)
class RefusesOrReads:
    """Apache Kafka reads the bytes, a stricter peer may refuse them: both are legal."""

    why: str
    reads: Reads


@dataclass(frozen=True, slots=True)
class CantBeWritten:
    """The version has no room for a part of the value, and `why` says for which.

    Apache Kafka refuses it, or writes `writes` where there are some; the rule `kafka` asks for the
    same. On the wire a library may do otherwise, as long as what it writes is a well-formed message
    of `layout`: the other rules of the case ask for no more.
    """

    why: str
    layout: Layout
    kafka: str
    writes: Writes | None = None


@dataclass(frozen=True, slots=True)
class NotTakenFor:
    """Bytes of another form than the requested one, which must not be read as that other form.

    `what` is the result that only a reader returns which follows the form the bytes really have. A
    refusal is as good as any other result: the rules on lengths, on null and on tags decide whether
    garbage is distinguished from a message.
    """

    why: str
    what: Reads | Writes


@dataclass(frozen=True, slots=True)
class Survives:
    """An answer of any kind: the target may read or refuse the bytes, but has to answer."""

    why: str


Expectation = (
    Reads
    | Writes
    | Refuses
    | RefusesOrWrites
    | RefusesOrReads
    | CantBeWritten
    | NotTakenFor
    | Survives
)


@dataclass(frozen=True, slots=True)
class Case:
    """One request, what may come back, and the rules that this decides.

    `control_cases` are the positions in the family of the cases that must pass for this one to
    count. `unsupported` is the reason why the target is not asked, "" where it is; `skipped` one
    that has nothing to do with what the target declares. `if_unsupported` is the verdict where it
    is asked and answers so: a failure, unless its types may not hold the value, or it never
    declared this.
    """

    id: str
    request: Request
    expects: Expectation
    rules: tuple[str, ...]
    control_cases: tuple[int, ...] = ()
    unsupported: str = ""
    skipped: str = ""
    if_unsupported: Literal["fail", "unsupported", "pass"] = "fail"

    @property
    def is_asked(self) -> bool:
        """True if the case is put to the target at all."""
        return not (self.unsupported or self.skipped)


def reads_of(case: Case) -> Reads | None:
    """Return the value that a case expects, None if it expects something else."""
    match case.expects:
        case Reads() as reads:
            return reads
        case RefusesOrReads(reads=reads):
            return reads
    return None


def writes_of(case: Case) -> Writes | None:
    """Return the bytes that a case expects, None if it expects something else."""
    match case.expects:
        case Writes() as writes:
            return writes
        case RefusesOrWrites(writes=writes):
            return writes
    return None


@dataclass(frozen=True, slots=True)
class Family:
    """The cases of one vector."""

    vector: str
    cases: tuple[Case, ...]
