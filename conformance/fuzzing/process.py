"""A fuzzing process: one codec, atheris, and a folder that keeps what was found.

    python -m conformance.fuzzing.process SETTINGS [libFuzzer's options and corpora]

Without a folder a suspicion is raised, and ends the process as libFuzzer's own findings do: that is
how the targets under `fuzz/` run.

libFuzzer ends its process as it likes, and a codec may end it any time, so everything worth keeping
is a file as soon as it is known: a corpus input (libFuzzer's doing), a suspicion, what was reached.
"""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
import random
import resource
import signal
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from conformance.fuzzing.settings import FuzzSettings

if TYPE_CHECKING:
    from conformance.fuzzing.harness import Harness

MOST_OF_A_KIND = 4
"""Inputs that are kept of one suspicion; the shortest of them stay."""
WRITE_EVERY_S = 2.0
TIMEOUT_S = 10.0
MOST_INPUT_BYTES = 4096
MUTATED_ONCE = "-mutate_depth=1"
"""Each execution is one mutation away from an input of the corpus, of which all is known."""
OUR_ONE_IN = 64
"""Of so many inputs that the reference codec accepts one is looked at by the slower plain one."""
GUIDED_ONE_IN = 4
"""Of so many values of a codec whose Python code is watched one guides as well."""
UNDER_WAY = "under-way-"
SUSPECTS_BEFORE = "suspects-before"
"""The folder of inputs that are looked at closely whenever they are executed."""
_SIZE = struct.Struct(">I")
_PR_SET_PDEATHSIG = 1


class UnderWay:
    """Keeps the input that is executed where it outlives the process, however that ends."""

    def __init__(self, folder: Path) -> None:
        path = folder / f"{UNDER_WAY}{os.getpid()}"
        path.write_bytes(bytes(_SIZE.size + MOST_INPUT_BYTES))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def note(self, data: bytes) -> None:
        """This one is executed now."""
        _SIZE.pack_into(self._map, 0, len(data))
        self._map[_SIZE.size : _SIZE.size + len(data)] = data


def last_input(path: Path) -> bytes:
    """The input that a process was at; nothing where it was at none."""
    try:
        content = path.read_bytes()
    except OSError:
        return b""
    (size,) = _SIZE.unpack_from(content)
    return content[_SIZE.size : _SIZE.size + size]


class Suspicious(Exception):
    """An execution that is not as it should be; raised where there is no folder to keep it in."""


def fuzz(settings: FuzzSettings, arguments: list[str]) -> None:
    """Fuzz until libFuzzer ends, with its options and corpora as `arguments`."""
    import atheris

    from conformance.fuzzing.instrument import instrumented_codec

    if settings.remote:
        from conformance.fuzzing.remote import RemoteCodec

        place = Path(settings.path[0]) if settings.path else None
        codec: Any = RemoteCodec(settings.remote, TIMEOUT_S, settings.memory_mib, place)
    else:
        codec = instrumented_codec(settings)
    from conformance.codecs.testee.in_process import ObjectTarget
    from conformance.fuzzing.harness import ONE_IN, Harness
    from conformance.fuzzing.round_trip import ReadByRoundTrip, is_by_round_trip
    from conformance.reference.codec import PlainCodec
    from conformance.wire.errors import WireError

    ours = not (settings.codec or settings.mutant or settings.remote)
    keeper: Keeper | Raiser = Raiser()
    if settings.folder:
        keeper = Keeper(Path(settings.folder), guided=not ours)
    hello = codec.target.hello if settings.remote else ObjectTarget(codec).hello
    if any(map(is_by_round_trip, hello.messages.values())):
        codec = ReadByRoundTrip(codec, hello)
        hello = codec.hello
    harness = Harness(
        codec,
        hello,
        keeper.suspect,
        keeper.reached,
        own_errors=(WireError,) if ours else (),
        oracle=PlainCodec() if ours else None,
        one_in=OUR_ONE_IN if ours else ONE_IN,
        reached_one_in=OUR_ONE_IN if ours else 1 if settings.remote else GUIDED_ONE_IN,
    )
    execute = _Execution(harness, Path(settings.folder) if settings.folder else None)
    by_structure = _ByStructure(settings.seed, execute, harness)
    mutate = by_structure if settings.structure else _by_bytes
    resource.setrlimit(resource.RLIMIT_DATA, (settings.memory_mib * 1024 * 1024,) * 2)
    options = [
        f"-seed={settings.seed}",
        *([MUTATED_ONCE] if settings.structure else []),
        *arguments,
    ]
    atheris.Setup([settings.program, *options], execute, custom_mutator=mutate)
    atheris.Fuzz()


def suspected_before(folder: Path) -> Iterator[bytes]:
    """The inputs that were suspicious in campaigns before."""
    for path in (folder / SUSPECTS_BEFORE).glob("[!.]*"):
        yield path.read_bytes().partition(b"\n")[2]


class _Execution:
    """Executes an input, on record, and in no other process than this one."""

    def __init__(self, harness: Harness, folder: Path | None) -> None:
        self._harness = harness
        self._under_way = UnderWay(folder) if folder else None
        self._again = frozenset(suspected_before(folder) if folder else ())
        self._pid = os.getpid()

    def __call__(self, data: bytes, closely: bool = False) -> None:
        if os.getpid() != self._pid:
            os._exit(0)  # the codec forked, and its child came back here
        if self._under_way is not None:
            self._under_way.note(data)
        self._harness.execute(data, closely or data in self._again)


class _ByStructure:
    """Mutates by what is known of messages. What is mutated first is in the corpus since it reached
    something: it is looked at closely.
    """

    def __init__(self, seed: int, execute: _Execution, harness: Harness) -> None:
        from conformance.fuzzing.mutator import Mutator
        from conformance.reference.codec import ReferenceCodec

        self._execute = execute
        self._harness = harness
        self._mutator = Mutator(ReferenceCodec(), _blindly, random.Random(seed))

    def __call__(self, given: bytearray, most: int, _seed: int) -> bytes:
        data = bytes(given)
        if not self._mutator.knows(data):
            self._execute(data, closely=True)
        made = self._mutator(data, most)
        self._harness.expect(made)
        return made.data


def _by_bytes(data: bytearray, most: int, _seed: int) -> bytes:
    """Mutates all but the head, which says whose bytes they are."""
    from conformance.fuzzing.inputs import HEAD_BYTES

    return bytes(data[:HEAD_BYTES]) + _blindly(bytes(data[HEAD_BYTES:]), most - HEAD_BYTES)


def _blindly(data: bytes, most: int) -> bytes:
    """libFuzzer's own mutation: another one than before it runs."""
    import atheris

    return bytes(atheris.Mutate(data, most))


class Raiser:
    """Raises what is suspicious, and forgets what was reached."""

    def suspect(self, why: str, _data: bytes) -> None:
        """End the process. Raises Suspicious."""
        raise Suspicious(why)

    def reached(self, _subject: Any, _value: Any) -> None:
        """Nothing is kept."""


class Keeper:
    """Keeps suspicions and what was reached in a folder, whatever becomes of the process."""

    def __init__(self, folder: Path, *, guided: bool = False) -> None:
        self._guide: Any = None
        if guided:
            from conformance.fuzzing.remote import Guide

            self._guide = Guide()
        self._suspects = folder / "suspects"
        self._suspects.mkdir(parents=True, exist_ok=True)
        self._reached_file = folder / f"reached-{os.getpid()}"
        self._kept: dict[str, list[tuple[int, Path]]] = {}
        self._reached: set[Any] = set()
        self._forms: dict[Any, Any] = {}
        self._written_s = 0.0

    def suspect(self, why: str, data: bytes) -> None:
        """Keep an input that was suspicious, if few of its kind are kept or it is shorter."""
        kept = self._kept.setdefault(why, [])
        if len(kept) >= MOST_OF_A_KIND and len(data) >= kept[-1][0]:
            return
        kind = hashlib.sha256(why.encode()).hexdigest()[:12]
        name = hashlib.sha256(data).hexdigest()[:12]
        path = self._suspects / f"{kind}-{name}"
        _write(path, why.encode() + b"\n" + data)
        kept.append((len(data), path))
        kept.sort()
        for _, longer in kept[MOST_OF_A_KIND:]:
            longer.unlink(missing_ok=True)
        del kept[MOST_OF_A_KIND:]

    def reached(self, subject: Any, value: Any) -> None:
        """Note what a value reaches."""
        from conformance.fuzzing.field_coverage import features
        from conformance.schema.releases import definitions, form_for

        layout = self._forms.get(subject)
        if layout is None:
            form = form_for(definitions("").release, subject.message, subject.version)
            layout = self._forms[subject] = form.layout if form else None
        if layout is None:
            return
        found = list(features(subject.message, subject.version, layout, value))
        self._reached.update(found)
        if self._guide is not None:
            for feature in found:
                self._guide.reached(feature)
        now = time.monotonic()
        if now - self._written_s > WRITE_EVERY_S:
            self._written_s = now
            _write(self._reached_file, msgspec.json.encode(sorted(self._reached)))


def _write(path: Path, content: bytes) -> None:
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.write_bytes(content)
    scratch.replace(path)


def _end_with_parent() -> None:
    """End this process when its parent ends: no campaign would read its results."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    _end_with_parent()
    fuzz(msgspec.json.decode(sys.argv[1], type=FuzzSettings), sys.argv[2:])
