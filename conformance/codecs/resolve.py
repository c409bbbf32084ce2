"""From what a user names to a target that is ready to be asked.

reference, reference@3.9.2  our own codec, in this process, by the newest stored release or this one
reference-lenient      the same, reading all that Apache Kafka reads
kio, kafka-clients@3.9.2   a bundled adapter, built if need be; without a version its newest
kafka-protocol+checks      the same with the checks of its language, if it has such a build
package.module:Codec   a Python object, served in a process of its own from this folder
-- ./adapter --flag    any program that speaks the testee protocol
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from conformance.codecs.testee.in_process import ObjectTarget
from conformance.codecs.testee.testee import (
    DEFAULT_MEMORY_MIB,
    DEFAULT_STARTUP_TIMEOUT_S,
    DEFAULT_TIMEOUT_S,
    PrepareValue,
    Testee,
)
from conformance.results.command_lines import program_of
from conformance.targets import registry
from conformance.targets.errors import TargetNotFound, TargetNotStarted, did_you_mean
from conformance.testee_protocol import Target

OUR_OWN = {
    "reference": "our own codec, strict",
    "reference-lenient": "our own codec, reading all that Apache Kafka reads",
}
"""The targets that are codecs of ours, and what to say of each."""


def open_target(
    spec: str | None,
    command: Sequence[str] | None = None,
    *,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    startup_timeout_s: float = DEFAULT_STARTUP_TIMEOUT_S,
    memory_mib: int | None = DEFAULT_MEMORY_MIB,
    prepare_value: PrepareValue | None = None,
    place: Path | None = None,
) -> Target:
    """Open the target that `spec` names, or the one that `command` starts, in the folder `place`.

    A `spec` that begins with two dashes is such a command in a line. The other keywords are those
    of `Testee`. Raises any TargetError; TargetNotFound where neither or both are given.
    """
    if bool(spec) == bool(command):
        raise TargetNotFound(
            "name one target", "NAME, NAME@VERSION, module:object, or -- and a command"
        )
    if spec and spec.partition("@")[0] in OUR_OWN:
        return _our_own(spec)
    folder = place
    if spec:
        command, folder = _command(spec, place)
    try:
        return Testee(
            command or (),
            cwd=folder,
            timeout_s=timeout_s,
            startup_timeout_s=startup_timeout_s,
            memory_mib=memory_mib,
            prepare_value=prepare_value,
        )
    except TargetNotStarted as error:
        raise _in_its_own_words(spec, error) from None


def target_names() -> list[str]:
    """Return every name that `open_target` takes for a bundled target."""
    return [*OUR_OWN, *registry.names()]


def _command(spec: str, place: Path | None) -> tuple[Sequence[str], Path | None]:
    """The command that starts `spec`, and the folder to start it in (None: this one)."""
    if program := program_of(spec):
        return program, place
    if ":" in spec:
        return [sys.executable, str(registry.serve_path()), _as_module(spec)], place
    name, _, version = spec.partition("@")
    if registry.plain_name(name) not in registry.names():
        raise TargetNotFound(f"there is no target {spec!r}", _hint(spec, name))
    adapter, version = registry.find(name, version or None)
    folder = registry.build(adapter, version)
    return registry.start_command(adapter, version), folder


def _as_module(spec: str) -> str:
    """`folder/adapter.py:Codec` by its module, `folder.adapter:Codec`; others stay as they are.

    Raises TargetNotFound for a file that is not below the current folder.
    """
    file, _, name = spec.rpartition(":")
    if not file.endswith(".py"):
        return spec
    try:
        inside = Path(file).resolve().relative_to(Path.cwd().resolve())
    except ValueError:
        hint = f"start it from {Path(file).resolve().parent}, as {Path(file).stem}:{name}"
        raise TargetNotFound(f"{file} is not in {Path.cwd()}", hint) from None
    return f"{'.'.join(inside.with_suffix('').parts)}:{name}"


def _in_its_own_words(spec: str | None, error: TargetNotStarted) -> TargetNotStarted:
    """Return the reason that `serve` gave for having no codec; else the error itself."""
    _, said, why = error.message.partition("\nserve.py: ")
    if not spec or not said:
        return error
    hint = f"is it in {Path.cwd()}, and what it imports installed for {sys.executable}?"
    return TargetNotStarted(f"{spec}: {why}", hint)


def _hint(spec: str, name: str) -> str:
    module = Path(spec).with_suffix("")
    if module.with_suffix(".py").is_file() and "/" not in spec:
        return f"name the codec in that module as well: {module}:Codec"
    if Path(spec).exists() or "/" in spec:
        return f"to start a program, put it after two dashes: -- {spec}"
    return did_you_mean(name, target_names()) or f"bundled: {', '.join(target_names())}"


def _our_own(spec: str) -> Target:
    from conformance.reference import codec as reference  # only when asked: it loads definitions

    name, _, release = spec.partition("@")
    codec = reference.LenientCodec if name.endswith("-lenient") else reference.ReferenceCodec
    return ObjectTarget(codec(release))
