"""What a fuzzing process is told: the codec, where it is, and within which bounds."""

from __future__ import annotations

import msgspec


class FuzzSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a fuzzing process is to do; travels to it as JSON.

    `codec` is `module:object`, to be found in the folders of `path`, of which the last is watched,
    `mutant` a mutant of the reference codec, `remote` a target in a process of its own, a program
    in the folder of `path`; without any it is the reference codec. `folder` is where it keeps what
    it finds, "" to raise it. `program` is what libFuzzer calls where it starts itself again, `code`
    where this package is, if not where it was found by whoever starts the process.
    """

    codec: str = ""
    mutant: str = ""
    remote: str = ""
    path: tuple[str, ...] = ()
    folder: str = ""
    structure: bool = True
    memory_mib: int = 2048
    seed: int = 1
    program: str = "fuzz"
    code: str = ""
