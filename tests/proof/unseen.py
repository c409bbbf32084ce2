"""The quality of diagnoses of codecs by other authors, whose defects were unknown to this project.

The author of the codecs lists their defects in the module's `DEFECTS`, before the first run: each
with a `name`, which is that of the codec in the module that has it, and its `cause` in a sentence.

`python -m tests.proof.diagnosis unseen MODULE` judges each, and writes `told.toml` beside the
module: the cause, the words of the first finding, and `right`, which is empty. No table of ours
says which words are right: a person reads both and fills in "yes" or "no". That entry stays for as
long as the finding says the same, and the next run counts it.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from multiprocessing import Pool
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from conformance.codecs.checking import Results, check
from conformance.codecs.gate import CodecSettings
from conformance.errors import ConformanceError
from conformance.results.lines import Finding
from conformance.rules import catalogue

TOLD = "told.toml"


class UnseenDefect(NamedTuple):
    """One codec with one defect, and the cause in its author's words."""

    id: str
    target: str
    cause: str


class UnseenAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first finding's words about a defect, and a reader's judgement of them."""

    id: str
    cause: str
    findings: int
    first: str
    right: Literal["", "yes", "no"] = ""


class _Told(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    told: list[UnseenAnswer]


def first(results: Results) -> str:
    """Return the words of the first finding: its diagnosis, or else the rule and what was seen.

    They are "" without a finding.
    """
    if not results.findings:
        return ""
    finding = results.findings[0]
    return f"looks like {finding.diagnosis}" if finding.diagnosis else _seen(finding)


def _seen(finding: Finding) -> str:
    rule = catalogue()[finding.rules[0]]
    return f"{rule.id}: {rule.statement} {finding.cause}"


def answer_to(both: tuple[UnseenDefect, UnseenAnswer | None]) -> UnseenAnswer:
    """Judge a defect's codec. An earlier judgement of the words stays if they are the same."""
    defect, before = both
    results = check(CodecSettings(spec=defect.target, profile="kafka"))
    said = first(results)
    same = before is not None and (before.first, before.cause) == (said, defect.cause)
    return UnseenAnswer(
        id=defect.id,
        cause=defect.cause,
        findings=len(results.findings),
        first=said,
        right=before.right if before and same else "",
    )


def figure(answers: Sequence[UnseenAnswer]) -> str:
    """Return how many first findings name the cause, as a line of Markdown."""
    right = sum(answer.right == "yes" for answer in answers)
    unread = sum(not answer.right for answer in answers)
    each = sum(answer.findings for answer in answers) / max(len(answers), 1)
    more = f"; {unread} are yet to be read" if unread else ""
    return (
        f"- Defects of a codec by someone who had read no mutant: the first finding names the "
        f"cause of {right} of {len(answers)}, with {each:.2f} findings each{more}."
    )


def defects_of(module: str) -> tuple[list[UnseenDefect], Path]:
    """Return the defects that a module lists, and its folder. Raises ConformanceError."""
    try:
        found = import_module(module)
        listed = [UnseenDefect(d.name, f"{module}:{d.name}", d.cause) for d in found.DEFECTS]
    except (ImportError, AttributeError, ValueError) as error:
        hint = "it has DEFECTS, each with a name and a cause"
        raise ConformanceError(f"{module!r} is no module of defects: {error}", hint) from error
    return listed, Path(str(found.__file__)).parent


def read_before(file: Path) -> Mapping[str, UnseenAnswer]:
    """Return the answers of the last run, by id. Raises ConformanceError."""
    try:
        told = msgspec.convert(tomllib.loads(file.read_text("utf-8")), _Told).told
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ConformanceError(f"{file} can't be read: {error}", "mend it or delete it") from error
    return {answer.id: answer for answer in told}


def written(answers: Iterable[UnseenAnswer]) -> Iterator[str]:
    """Yield the lines of `told.toml`."""
    yield '# Fill in `right` with "yes" or "no": does the first finding name the cause?'
    for answer in answers:
        yield "\n[[told]]"
        for key, value in msgspec.to_builtins(answer).items():
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}"


def main(arguments: Sequence[str]) -> int:
    """Judge every defect of a module; return 2, an exit code, if it has none."""
    sys.path.insert(0, "")
    try:
        defects, folder = defects_of("".join(arguments[:1]))
        before = read_before(folder / TOLD)
        answers: list[UnseenAnswer] = []
        with Pool() as pool:
            for answer in pool.imap(answer_to, ((each, before.get(each.id)) for each in defects)):
                answers.append(answer)
                (folder / TOLD).write_text("\n".join(written(answers)) + "\n", "utf-8")
    except ConformanceError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(figure(answers))
    return 0
