"""Rules that a broker with one defect is wrongly said to break, beside the one that it breaks.

Each mutant is judged by all rules of brokers, in this process. It has to fail the rule that it
breaks and those that this implies; any other is a wrong charge, and there should be none. `python
-m tests.proof.charges` judges every mutant, or those that are named.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from multiprocessing import Pool

from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.score import rules_with_questions, verdicts_of
from conformance.codecs.score import wrong
from conformance.results.lines import ONCE


def wrongly_charged(mutant: str) -> dict[str, str]:
    """Return the rules that a mutant is wrongly said to break, with the first case and detail."""
    broker = broker_mutants()[mutant]
    verdicts = verdicts_of(stocked(broker()), *rules_with_questions(), quick=True)
    accused = [each for each in wrong(verdicts) if not each.detail.startswith(ONCE)]
    found = {verdict.rule: f"{verdict.case}: {verdict.detail}" for verdict in reversed(accused)}
    return {
        rule: why for rule, why in found.items() if rule not in (broker.breaks, *broker.implies)
    }


def main(names: Sequence[str]) -> int:
    """Print every wrong charge; return 1 if there is one."""
    mutants = names or list(broker_mutants())
    charges = 0
    with Pool() as pool:
        for name, wrongly in zip(mutants, pool.imap(wrongly_charged, mutants), strict=True):
            for rule, why in wrongly.items():
                charges += 1
                breaks = broker_mutants()[name].breaks
                sys.stdout.write(f"{name}, which breaks {breaks}: {rule}: {why}\n")
    sys.stdout.write(
        f"{len(mutants)} broker mutants judged by all rules: {charges} wrong charges\n"
    )
    return 1 if charges else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
