"""A Python codec object as a testee: one JSON request a line in, one answer a line out.

This file stands alone (standard library only, no import of the package) so that an adapter runs in
a virtual environment that holds nothing but the library under test:

    python serve.py adapter:Codec

imports `adapter` from the current directory, instantiates `Codec` and serves it until stdin ends.
The codec gets none of the streams that carry the protocol: what it prints goes to stderr, and a
library that reads stdin finds it empty. Each answer is flushed before the next request is read, so
that a process which dies took with it the oldest unanswered request and no other.

Each answer may say what its call allocated: the kernel keeps the peak of a process's address space,
which also shows memory that was asked for and never touched, or was given back at once. To look
costs little, and only a call that caused page faults is looked at.

Whatever the codec raises is an answer about the codec. What the codec returns in the wrong shape,
or what JSON can't hold, is a mistake of the adapter and is answered under `adapter-error`, which
no reader takes for an outcome.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib
import json
import mmap
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, cast

try:
    import resource
except ImportError:  # not on every system
    resource = None  # type: ignore[assignment]

PROTOCOL_VERSION = 1
EXIT_NOT_STARTED = 3
EXIT_INTERRUPTED = 130
MAX_TEXT = 2000
"""Characters kept of an error's text: some libraries put the whole input into it."""
_ROOM = 4 * 1024 * 1024
"""Bytes below the peak of the address space in which a call's memory may go unseen."""


class _Output(Protocol):
    def write(self, data: bytes, /) -> object: ...

    def flush(self) -> object: ...


class AdapterError(Exception):
    """The adapter or the request broke the protocol; says nothing of the library under test."""


Answer = dict[str, Any]
_encode_json = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")
).encode


def serve(
    codec: object, stdin: Iterable[bytes] | None = None, stdout: _Output | None = None
) -> None:
    """Answer the requests of `stdin` on `stdout` until it ends. By default, those of the process.

    `codec` has `hello() -> dict` and one method an operation, `-` in its name written as `_`.
    """
    if stdin is None or stdout is None:
        stdin, stdout = take_streams()
    meter = Meter()
    for line in stdin:
        if line.strip():
            stdout.write(_answer_line(codec, line, meter))
            stdout.flush()


class Meter:
    """The most bytes that a call allocates at a time.

    The kernel never lowers the peak it keeps, so after a high one the same again would not show.
    Address space without access rights, which costs nothing, fills the room below the peak.
    """

    def __init__(self) -> None:
        self._faults = -1
        self._peak = self._size = self._reserved = self._ballast_size = 0
        self._ballast: mmap.mmap | None = None
        self._status = -1
        if resource is not None:
            with contextlib.suppress(OSError):
                self._status = os.open("/proc/self/status", os.O_RDONLY)

    def start(self) -> None:
        """Measure from here on."""
        if self._status >= 0 and self._new_faults():
            self._look()
            self._fill_room()

    def allocated(self) -> int | None:
        """Return the bytes since `start`; None if nothing was mapped or it can't be measured."""
        if self._status < 0 or not self._new_faults():
            return None
        peak, size, reserved = self._peak, self._size, self._reserved
        self._look()
        highest = self._peak if self._peak > peak else self._size
        # What is only reserved is no memory; to align it, twice as much is mapped for a moment.
        allocated = highest - size - 2 * max(0, self._reserved - reserved)
        self._fill_room()
        return max(0, allocated)

    def _new_faults(self) -> bool:
        """Return True on new page faults: the allocator writes to every new mapping."""
        before, self._faults = self._faults, resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        return self._faults != before

    def _look(self) -> None:
        status = os.pread(self._status, 4096, 0)
        self._peak, self._size, data = (
            int(status[status.index(key) + len(key) :].split(None, 1)[0]) * 1024
            for key in (b"VmPeak:", b"VmSize:", b"VmData:")
        )
        self._reserved = self._size - data

    def _fill_room(self) -> None:
        """Raise the size to the peak. Where the system allows that no more, measuring ends."""
        room = self._peak - self._size
        if room <= _ROOM:
            return
        if self._ballast is not None:
            self._ballast.close()
        self._ballast_size += room
        try:
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
            self._ballast = mmap.mmap(-1, self._ballast_size, flags, 0)
        except (OSError, ValueError, OverflowError):
            os.close(self._status)
            self._status = -1
        else:
            self._look()


def take_streams() -> tuple[Iterable[bytes], _Output]:
    """Keep the process's stdin and stdout for the protocol, and leave stderr to everyone else.

    Works on the file descriptors, so that a native extension's prints are caught as well.
    """
    sys.stdout.flush()
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, answers


def _answer_line(codec: object, line: bytes, meter: Meter) -> bytes:
    answer: Answer = {}
    try:
        request = _parse(line)
        if "id" in request:
            answer["id"] = request["id"]
        meter.start()
        answer.update(answer_to(codec, request))
        if request.get("op") == "hello":
            check_methods(codec, answer)
        allocated = meter.allocated()
        if allocated is not None:
            answer["allocated"] = allocated
        return _to_line(answer)
    except AdapterError as error:
        return _to_line({**_identity(answer), "adapter-error": _text(error)})
    except MemoryError as error:
        # What was decoded fitted, its JSON did not: still the target's appetite.
        return _to_line({**_identity(answer), "crashed": _named(error)})


def _identity(answer: Answer) -> Answer:
    return {"id": answer["id"]} if "id" in answer else {}


def _parse(line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise AdapterError(f"the request is not JSON: {error}") from error
    if not isinstance(request, dict):
        raise AdapterError("the request is not a JSON object")
    return request


def answer_to(codec: object, request: dict[str, Any]) -> Answer:
    """The answer to one request, without its `id`. Raises AdapterError."""
    op = request.get("op")
    if op == "hello":
        return _hello(codec)
    if not isinstance(op, str) or op not in _OPERATIONS:
        return {"unsupported": f"unknown op {op!r}"}
    method = getattr(codec, op.replace("-", "_"), None)
    if method is None:
        return {"unsupported": f"the codec has no {op}"}
    names, shape = _OPERATIONS[op]
    call = functools.partial(method, *(_argument(request, name) for name in names))
    refusal, returned = _outcome(call, op)
    return refusal if refusal is not None else shape(op, returned)


def _hello(codec: object) -> Answer:
    if not callable(getattr(codec, "hello", None)):
        name = type(codec).__name__
        raise AdapterError(f"{name} has no method hello: it says which messages there are")
    try:
        hello = cast("Any", codec).hello()
    except Exception as error:
        raise AdapterError(f"hello failed: {type(error).__name__}: {_text(error)}") from error
    if not isinstance(hello, dict):
        raise AdapterError(f"hello returned {type(hello).__name__}, not dict")
    return {"protocol": PROTOCOL_VERSION, "language": "python", **hello}


def check_methods(codec: object, hello: Answer) -> None:
    """Raise AdapterError for an operation that hello declares, and that has no method."""
    for op in filter(_OPERATIONS.__contains__, _listed(hello)):
        method = op.replace("-", "_")
        if not callable(getattr(codec, method, None)):
            name = type(codec).__name__
            raise AdapterError(f"{name} has no method {method}, and hello declares the op {op}")


def _listed(hello: dict[str, Any]) -> list[Any]:
    """The operations that hello declares for all messages, as far as they are names."""
    ops = hello.get("ops")
    return [op for op in ops if isinstance(op, str)] if isinstance(ops, list | tuple) else []


def _outcome(call: Callable[[], object], op: str) -> tuple[Answer | None, object]:
    """Return the result of `call`, or the answer that its exception stands for."""
    try:
        return None, call()
    except NotImplementedError as error:
        return {"unsupported": _text(error)}, None
    except (MemoryError, RecursionError) as error:
        return {"crashed": _named(error)}, None
    except Exception as error:
        refusal: Answer = {"rejected": _text(error), "error": type(error).__name__}
        if op == "roundtrip":
            refusal["stage"] = "encode" if getattr(error, "stage", "") == "encode" else "decode"
        return refusal, None
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        # A panic in native code reaches Python as an exception that no `except Exception` of a
        # caller would stop, so it ends the caller's program.
        return {"crashed": _named(error)}, None


def _argument(request: dict[str, Any], name: str) -> object:
    if name not in request:
        raise AdapterError(f"the request has no {name!r}")
    argument = request[name]
    if name != "bytes":
        return argument
    try:
        return bytes.fromhex(argument)
    except (TypeError, ValueError) as error:
        raise AdapterError(f"the request's bytes are not hex: {error}") from error


def _written(op: str, returned: object) -> Answer:
    if not isinstance(returned, bytes | bytearray | memoryview):
        raise AdapterError(f"{op} returned {type(returned).__name__}, not bytes")
    return {"bytes": returned.hex()}


def _decoded(op: str, returned: object) -> Answer:
    value, remaining = _items(op, returned, 2)
    return {"value": _mapping(op, "value", value), "remaining": _count(op, "remaining", remaining)}


def _framed(op: str, returned: object) -> Answer:
    header, value, remaining = _items(op, returned, 3)
    return {"header": _mapping(op, "header", header), **_decoded(op, (value, remaining))}


def _framed_response(op: str, returned: object) -> Answer:
    """Return the answer as `_framed` does; a fourth item is the fallback version (KIP-511)."""
    if not isinstance(returned, tuple) or len(returned) != 4:
        return _framed(op, returned)
    answer = _framed(op, returned[:3])
    version = _count(op, "version", returned[3])
    return answer if version is None else {**answer, "version": version}


def _items(op: str, returned: object, count: int) -> tuple[object, ...]:
    if not isinstance(returned, tuple):
        raise AdapterError(f"{op} returned {type(returned).__name__}, not a tuple")
    if len(returned) != count:
        raise AdapterError(f"{op} returned a tuple of {len(returned)}, not of {count}")
    return returned


def _mapping(op: str, what: str, item: object) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise AdapterError(f"{op}: the {what} is {type(item).__name__}, not dict")
    return item


def _count(op: str, what: str, item: object) -> int | None:
    if item is not None and (isinstance(item, bool) or not isinstance(item, int)):
        raise AdapterError(f"{op}: {what} is {type(item).__name__}, not int or None")
    return item


def _text(error: BaseException) -> str:
    """The error's own words, in characters that UTF-8 can express."""
    try:
        text = str(error)
    except Exception as failure:
        text = f"(its text could not be read: {type(failure).__name__})"
    return text[:MAX_TEXT].encode("utf-8", "backslashreplace").decode("utf-8")


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {_text(error)}"


def _to_line(answer: Answer) -> bytes:
    """Return the line of an answer; half a surrogate pair, which UTF-8 lacks, is escaped."""
    try:
        return _encode_json(answer).encode("utf-8", "backslashreplace") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise AdapterError(f"the answer does not fit JSON: {_text(error)}") from error


_Shape = Callable[[str, object], Answer]
_OPERATIONS: dict[str, tuple[tuple[str, ...], _Shape]] = {
    "roundtrip": (("message", "version", "bytes"), _written),
    "decode": (("message", "version", "bytes"), _decoded),
    "encode": (("message", "version", "value"), _written),
    "decode-request": (("bytes",), _framed),
    "encode-request": (("message", "version", "header", "value"), _written),
    "decode-response": (("message", "version", "bytes"), _framed_response),
    "encode-response": (("message", "version", "header", "value"), _written),
}
"""For each operation, the keys of the request that its method takes, and the shape it returns."""


def load_codec(specification: str) -> object:
    """The codec that `module:object` names; a class is instantiated.

    Raises ImportError with one line that says which step failed.
    """
    module_name, _, path = specification.partition(":")
    if not module_name or not path:
        raise ImportError(f"{specification!r} is not of the form module:object")
    try:
        found: object = importlib.import_module(module_name)
    except Exception as error:
        raise ImportError(f"cannot import {module_name!r}: {_named(error)}") from error
    for name in path.split("."):
        if not hasattr(found, name):
            near = difflib.get_close_matches(name, dir(found), n=1)
            likely = f"; did you mean {module_name}:{near[0]}?" if near else ""
            raise ImportError(f"{module_name!r} has no {path!r}{likely}")
        found = getattr(found, name)
    try:
        return found() if isinstance(found, type) else found
    except Exception as error:
        raise ImportError(f"cannot instantiate {specification!r}: {_named(error)}") from error


def main(arguments: list[str]) -> int:
    """Serve the codec that the one argument names; returns the exit code."""
    if len(arguments) != 1:
        print("usage: serve.py module:object", file=sys.stderr)
        return EXIT_NOT_STARTED
    # Python put this script's folder first; a module of the suite must not shadow the adapter's.
    own_folder = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if not entry or Path(entry).resolve() != own_folder]
    sys.path.insert(0, str(Path.cwd()))
    requests, answers = take_streams()
    try:
        codec = load_codec(arguments[0])
    except ImportError as error:
        print("serve.py: " + " ".join(str(error).split()), file=sys.stderr)
        return EXIT_NOT_STARTED
    try:
        serve(codec, requests, answers)
    except BrokenPipeError:
        # The suite left; closing the stream would only try to write once more.
        os._exit(0)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
