"""Results as large as they come: 20 targets, 100,000 cases each, and what a site of them takes.

    python -m tests.reporting.site.large FOLDER [TARGETS [CASES]]

Every tenth case fails, under all rules of the catalogue that codecs have.
"""

import random
import sys
import time
from pathlib import Path

import msgspec

from conformance.results.lines import Annotated, Summary, Verdict
from conformance.rules import select
from tests.reporting.site.lines import a_finding, a_run

TARGETS = 20
CASES = 100_000
_MESSAGES = [
    f"{name}{kind}"
    for name in map("Message{:02}".format, range(100))
    for kind in ("Request", "Response")
]
_OF_A_RULE = 40
"""Messages that a rule is about; in the real matrix there are hardly more."""
_VERDICTS = ("pass",) * 17 + ("note", "fail", "fail")


def _verdict(number, rules, dice):
    rule = rules[number % len(rules)]
    verdict = dice.choice(_VERDICTS)
    message = _MESSAGES[dice.randrange(_OF_A_RULE) * 5]
    given = {}
    if verdict != "pass":
        sent = dice.randbytes(dice.randrange(20, 300))
        wrong = bytes([*sent[:-3], sent[-3] ^ 255, *sent[-2:]])
        row = Annotated(
            offset=len(sent) - 3, bytes=sent[-3:].hex(), path="topics[0].name", differs=True
        )
        given = {
            "input": sent.hex(),
            "expected": sent.hex(),
            "actual": wrong.hex(),
            "annotated": [row],
            "detail": f"written as something else in case {number}",
        }
    return Verdict(
        rule=rule.id,
        class_=rule.class_,
        case=f"{message}-v{number % 7}-case{number}/roundtrip",
        message=message,
        version=number % 7,
        op="roundtrip",
        outcome="value",
        verdict=verdict,
        **given,
    )


def write_target(folder: Path, number: int, cases: int) -> Path:
    """The results of one target."""
    rules = select(applies=["codec"])
    dice = random.Random(number)
    path = folder / f"target{number:02}.ndjson"
    encode = msgspec.json.Encoder().encode
    with path.open("wb") as file:
        file.write(encode(a_run(f"target{number:02}")) + b"\n")
        for case in range(cases):
            file.write(encode(_verdict(case, rules, dice)) + b"\n")
        file.write(encode(a_finding()) + b"\n")
        file.write(encode(Summary(cases=cases, verdicts={}, seconds=30.0, exit_code=1)) + b"\n")
    return path


def size(site: Path) -> int:
    """The bytes of all files of a site."""
    return sum(path.stat().st_size for path in site.rglob("*") if path.is_file())


def main(folder: Path, targets: int = TARGETS, cases: int = CASES) -> None:
    """Write the results, make the site, and say what it took."""
    from conformance.cli import main as command

    results = folder / "results"
    results.mkdir(parents=True, exist_ok=True)
    for number in range(targets):
        write_target(results, number, cases)
    began = time.monotonic()
    command(["site", str(results), "-o", str(folder / "site")], standalone_mode=False)
    took = time.monotonic() - began
    print(
        f"{targets} targets of {cases:,} cases: {took:.1f} s, {size(folder / 'site') / 1e6:.1f} MB"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
