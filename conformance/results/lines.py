"""The lines of a results file: a run, its verdicts, findings, a summary.

A verdict is one case, one rule and one operation. Class and verdict are separate axes: the profile
decides whether a broken `kafka` rule fails a run, and it is applied where the verdict is made.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from conformance.results.naming import full_name, is_place, short_name

VerdictName = Literal["pass", "note", "fail", "crash", "hang", "unsupported", "not-proven", "error"]
VERDICTS: tuple[VerdictName, ...] = (
    "pass",
    "note",
    "fail",
    "crash",
    "hang",
    "unsupported",
    "not-proven",
    "error",
)
BROKEN: frozenset[VerdictName] = frozenset({"fail", "crash", "hang"})
"""The verdicts that end a run with exit code 1, unless they are known."""

EXCHANGE, FORWARD, VISIT = "exchange", "forward", "visit"
"""The operations of verdicts on brokers, on proxies and on clients."""

NOT_ASKED = "not asked: "
"""The beginning of the detail of a verdict on a case that was skipped."""

ENDED_BY_ONE = "ended by one of "
"""The beginning of the detail of a crash that followed several dialogues, held at the same time."""

ONCE = "failed once, and passed when it was asked again alone: "
"""The beginning of the detail of a note on a rule that was broken once, and not a second time."""

UNREAD = "is not read: "
"""In the detail of a broken dialogue, between a field of the request and its result."""

ONE_ALONE = "; one case alone shows it, and the driver may bring it about"
"""The end of the cause of a finding whose cause may be a client's driver."""

RESULTS_VERSION = 2
"""The version of the lines; each change of their names raises it."""


class Run(msgspec.Struct, frozen=True, kw_only=True, tag="run", tag_field="type"):
    """The header line: what was judged, by which suite, with which selection.

    `lacks` says which tagged fields the target declares not to know, and how many they are.
    `left_out` are the messages that a bundled adapter leaves out of what its library has, and why.
    `named` is what the command that judged it called it, "" where that said nothing.
    `again` are the words of the command that judges it again. `folder` is where it was judged;
    only the findings of last runs have it, which stay here.
    """

    target: str
    target_version: str
    language: str
    definitions: str
    suite_version: str
    profile: str
    started: str
    selection: dict[str, Any] = {}
    lacks: str = ""
    named: str = ""
    left_out: list[str] = []
    again: list[str] = []
    folder: str = ""
    results_version: int = RESULTS_VERSION

    @property
    def name(self) -> str:
        """Return the name that a person would use for the target, with its reported version."""
        return full_name(self.target, self.target_version, self.named)

    @property
    def introduced(self) -> str:
        """Return the name and version that the target reports of itself, "" if it reports none."""
        return "" if is_place(self.target_version) else self.target_version

    @property
    def short_name(self) -> str:
        """Return the name that a person would use for the target if there is little room."""
        return self.named or short_name(self.target)


class Annotated(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The bytes of a field, as hex; `actual` are the received ones if bytes were the answer.

    Long ones are cut to the piece that matters. `differs` marks the first field that differs.
    """

    offset: int
    bytes: str = ""
    actual: str | None = None
    path: str = ""
    type: str = ""
    value: str = ""
    differs: bool = False


BEHIND = "(behind the last field)"
"""The path of bytes that are in no field."""
BEYOND = "beyond the end"
"""The last words on a reader that went on after the last byte."""
PANICKED = "panicked in place of an error"
"""The beginning of the detail of a verdict on a writer that panicked over its caller's value."""
ANSWERED = "answered as unsupported"
"""The beginning of the detail of an `unsupported` that an adapter or a driver answered."""


class Verdict(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="verdict", tag_field="type"
):
    """One case judged by one rule on one operation. Bytes are hex; a pass has none.

    For an exchange, `step` has the request that was sent last, and the answer to it if one came: if
    several requests were sent, that is the step which broke the rule.

    In published results, one verdict may stand for `times` equal ones without further detail: those
    of one rule on one operation of a message in one version.

    For a client's visit, `actual` are the requests and answers, a line each, and a mark line
    follows the request that broke the rule, if one did.
    """

    rule: str
    class_: str = msgspec.field(name="class")
    case: str
    message: str
    version: int
    op: str
    outcome: str
    verdict: VerdictName
    input: Any = None
    expected: Any = None
    actual: Any = None
    first_difference: str | None = None
    annotated: list[Annotated] = []
    control_case: str | None = None
    step: list[str] = []
    detail: str = ""
    times: int = 1


NOT_LED = -1
"""In place of a number of cases: no rule that a cause breaks is about the bytes that differ."""


class Finding(msgspec.Struct, frozen=True, kw_only=True, tag="finding", tag_field="type"):
    """Verdicts that share one cause: its rules, its smallest case, and how to reproduce it.

    The first rule is the one that tells most of it; `harm` says whom a breach of that one hurts.
    `kind` is its gravest: `must`, `crash`, `hang`, `harden` or `kafka`; `ends` is `crash` or `hang`
    where some of its cases end the target or stall it; `led` is how many break the first rule,
    `NOT_LED` where no rule is about the bytes that differ. `what` says in a clause what the answers
    themselves show, and `remedy` what to do about that. `unproven` are rules that its cases decide
    as well, and that are about other bytes than those that differ: whether they are kept is not
    seen until this is mended. Older files have none of these.
    """

    cause: str
    rules: list[str]
    case: str
    count: int
    reproduce: str
    diagnosis: str = ""
    harm: str = ""
    kind: str = ""
    ends: str = ""
    led: int = 0
    what: str = ""
    remedy: str = ""
    unproven: list[str] = []

    @property
    def every_rule(self) -> list[str]:
        """Return the rules of all its verdicts, those that it leaves unproven as well."""
        return [*self.rules, *self.unproven]

    @property
    def is_led(self) -> bool:
        """True if at least a third of the cases break the first rule, or `led` is unknown."""
        return not self.led or 3 * self.led >= self.count


class Decided(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The number of `rules` that a run asks for, of those `decided`, and why others were not.

    Undecided rules need something that the target does not list (`missing`), or turned out to lack
    (`unsupported`). `needs` counts them by the option that they are asked with, `behind` by the
    rule that is broken first, "" if that is a control case. `errors` counts rules with nothing but
    errors, and `unreached` those that the run did not reach, as it or the target had ended before.
    """

    rules: int
    decided: int
    missing: int = 0
    unsupported: int = 0
    needs: dict[str, int] = {}
    behind: dict[str, int] = {}
    errors: int = 0
    unreached: int = 0


class Summary(msgspec.Struct, frozen=True, kw_only=True, tag="summary", tag_field="type"):
    """The closing line. A file without it is an interrupted run.

    `notes` are what the target did that no verdict shows, such as a leak. `unasked` counts the
    cases in which nothing could be asked, `decided` the rules that were decided; older files lack
    both.
    """

    cases: int
    verdicts: dict[str, int]
    seconds: float
    exit_code: int
    notes: list[str] = []
    unasked: int | None = None
    decided: Decided | None = None


Line = Run | Verdict | Finding | Summary
CUT_SHORT = "cut short: the run was interrupted, or the file lost its end"
"""The text about results that are not whole."""


def is_cut_short(last: Line | None) -> bool:
    """True if the results of a run are not whole: their last line is not the closing one."""
    return not isinstance(last, Summary)


_decoder = msgspec.json.Decoder(Line)


def decode_line(data: bytes) -> Line:
    """Return a line of a results file. Raises MsgspecError."""
    line: Line = _decoder.decode(data)
    if isinstance(line, Run) and line.results_version > RESULTS_VERSION:
        told = f"results of version {line.results_version}, newer than {RESULTS_VERSION}"
        raise msgspec.ValidationError(told)
    return line
