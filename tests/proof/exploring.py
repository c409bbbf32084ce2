"""The share of all mutants of brokers that exploring finds without any rule.

`python -m tests.proof.exploring [NAME...]` explores each mutant in this process by fixed seeds, for
so many conversations at most, and prints those that are not found and the share, by folder.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

from conformance.brokers.dialogues.talk import Facts
from conformance.brokers.exploring.machine import Exploration, Found
from conformance.brokers.in_process import SessionEndpoint
from conformance.brokers.mutants import BrokerMutant, broker_mutants, stocked
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.releases import NAMES, stored_versions
from conformance.reference.codec import ReferenceCodec

RUNS, IN_A_RUN = 3, 40
"""The seeds that are tried, and the conversations of each."""
KEEPING: dict[str, Any] = {"keeps_logs": True, "keeps_offsets": True, "keeps_groups": True}
PACKAGE = "conformance.brokers.mutants."


@cache
def codec() -> ReferenceCodec:
    """Return one codec for all brokers, since it compiles each form once."""
    return ReferenceCodec()


def exploration_of(broker: Broker) -> Exploration:
    """Return the exploration of a broker in this process."""
    facts = Facts(broker.versions, codec=codec(), writes=True, explores=True)
    found = Exploration(SessionEndpoint(stocked(broker)), facts, shortens=False)
    found.learn()
    return found


def made(mutant: type[BrokerMutant]) -> Broker:
    """Return a mutant that keeps everything, and serves all that the reference does."""
    versions = {**stored_versions(names=NAMES), **mutant.made_with.get("versions", {})}
    return mutant(**{**mutant.made_with, **KEEPING, "versions": versions})


def first_found(mutant: type[BrokerMutant], runs: int = RUNS) -> Found | None:
    """Return the first difference that exploring a mutant finds, None without one."""
    exploration = exploration_of(made(mutant))
    for number in range(1, runs + 1):
        for found in exploration.run(number, IN_A_RUN):
            return found
    return None


def main(names: Iterable[str]) -> int:
    """Print what is found of these mutants, or of all."""
    known = broker_mutants()
    every, found, missed = Counter[str](), Counter[str](), []
    for name in names or known:
        folder = known[name].__module__.removeprefix(PACKAGE).partition(".")[0]
        every[folder] += 1
        if first_found(known[name]) is not None:
            found[folder] += 1
        else:
            missed.append(name)
            print(f"not found: {folder} {name} ({known[name].breaks})", flush=True)
    for folder in sorted(every):
        print(f"{folder}: {found[folder]} of {every[folder]}")
    share = 100 * found.total() / every.total()
    print(f"{found.total()} of {every.total()} mutants of brokers are found: {share:.0f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
