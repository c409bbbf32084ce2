"""`serve.py` as its users start it: a process, a codec object, and lines on its pipes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.codecs.testee import serve as serve_function

SERVE = Path(sys.modules[serve_function.__module__].__file__ or "")

CODEC = """
import os
import sys
import errors  # a module of the suite has this name too


class Panic(BaseException):
    pass


class Codec:
    def hello(self):
        print("hello from Python")
        return {"name": "toy", "version": "1", "ops": ["decode"], "messages": {"M": [0, 1]}}

    def roundtrip(self, message, version, data):
        if data == b"\\1":
            error = ValueError("can't write")
            error.stage = "encode"
            raise error
        if data == b"\\2":
            raise ValueError("can't read")
        return data[::-1]

    def decode(self, message, version, data):
        def recurse():
            return recurse()

        behaviours = {
            b"\\0": lambda: ({"message": message, "version": version}, 0),
            b"\\1": lambda: 1 / 0,
            b"\\2": recurse,
            b"\\4": lambda: b"not a tuple",
            b"\\5": lambda: ({"field": b"bytes"}, 0),
            b"\\6": lambda: ({"field": float("nan")}, 0),
            b"\\7": lambda: ({"field": 1}, "none"),
            b"\\10": lambda: ([1], 0),
            b"\\11": lambda: ({"field": "\\ud800"}, 0),
            b"\\12": lambda: os._exit(7),
            b"\\13": lambda: sys.exit(5),
            b"\\14": lambda: ({"stdin": sys.stdin.read()}, None),
        }
        if data == b"\\15":
            raise Panic("index out of range")
        if data == b"\\16":
            raise NotImplementedError("no such version")
        if data == b"\\17":
            raise MemoryError("too much")
        if data == b"\\20":
            raise ValueError("\\ud800" + "x" * 100_000)
        os.write(1, b"a native print\\n")
        return behaviours[data]()

    def encode(self, message, version, value):
        return value["text"].encode() if isinstance(value, dict) else None

    def decode_request(self, data):
        return {"correlationId": 7}, {"size": len(data)}, None

    def encode_request(self, message, version, header, value):
        return bytes([header["correlationId"]])

    def decode_response(self, message, version, data):
        whole = {"correlationId": 7}, {}, 0
        return (*whole, 0) if data else whole


ready = Codec()
broken = None


class Unwilling:
    def __init__(self):
        raise RuntimeError("no licence\\nto run")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "toy.py").write_text(CODEC)
    (tmp_path / "errors.py").write_text("# the adapter's own\n")
    (tmp_path / "raises.py").write_text("import nowhere_to_be_found\n")
    return tmp_path


def start(folder: Path, name: str = "toy:Codec") -> subprocess.Popen[bytes]:
    command = [sys.executable, str(SERVE), name]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe)


def run(folder: Path, *lines: str | dict[str, Any], name: str = "toy:Codec") -> Any:
    """The answers to `lines`, what was on stderr, and the exit code.

    What a call allocated depends on the interpreter, and is left out: test_meter is about it.
    """
    sent = "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines)
    process = start(folder, name)
    out, err = process.communicate(sent.encode(), timeout=30)
    answers = [json.loads(line) for line in out.splitlines()]
    for answer in answers:
        answer.pop("allocated", None)
    return answers, err.decode(), process.returncode


def ask(folder: Path, op: str, **keys: Any) -> Any:
    answers, _, code = run(folder, {"op": op, "id": 9, "message": "M", "version": 1, **keys})
    assert code == 0
    (answer,) = answers
    assert answer.pop("id") == 9
    return answer


def test_hello_is_completed_with_protocol_and_language(folder: Path) -> None:
    answers, err, code = run(folder, {"op": "hello", "protocol": 1})
    assert answers == [
        {
            "protocol": 1,
            "language": "python",
            "name": "toy",
            "version": "1",
            "ops": ["decode"],
            "messages": {"M": [0, 1]},
        }
    ]
    assert "hello from Python" in err
    assert code == 0


def test_instance_is_served_as_it_is(folder: Path) -> None:
    answers, _, code = run(folder, {"op": "hello"}, name="toy:ready")
    assert answers[0]["name"] == "toy"
    assert code == 0


def test_end_of_input_ends_it_with_zero(folder: Path) -> None:
    assert run(folder) == ([], "", 0)


def test_requests_are_answered_in_order(folder: Path) -> None:
    asked = [
        {"op": "roundtrip", "id": i, "message": "M", "version": 0, "bytes": f"{i:04x}"}
        for i in range(10, 40)
    ]
    answers, _, _ = run(folder, *asked)
    assert answers == [{"id": i, "bytes": f"{i:02x}00"} for i in range(10, 40)]


def test_answer_comes_before_the_next_request(folder: Path) -> None:
    with start(folder) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(b'{"op":"hello"}\n')
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["name"] == "toy"
        process.stdin.close()
        assert process.wait(30) == 0


def test_each_operation_passes_and_returns_its_own_shape(folder: Path) -> None:
    assert ask(folder, "decode", bytes="00") == {
        "value": {"message": "M", "version": 1},
        "remaining": 0,
    }
    assert ask(folder, "encode", value={"text": "é"}) == {"bytes": "c3a9"}
    assert ask(folder, "decode-request", bytes="0102") == {
        "header": {"correlationId": 7},
        "value": {"size": 2},
        "remaining": None,
    }
    header = {"correlationId": 5}
    assert ask(folder, "encode-request", header=header, value={}) == {"bytes": "05"}
    whole = {"header": {"correlationId": 7}, "value": {}, "remaining": 0}
    assert ask(folder, "decode-response", bytes="") == whole
    assert ask(folder, "decode-response", bytes="00") == {**whole, "version": 0}


def test_error_of_the_codec_is_a_rejection(folder: Path) -> None:
    assert ask(folder, "decode", bytes="01") == {
        "rejected": "division by zero",
        "error": "ZeroDivisionError",
    }


@pytest.mark.parametrize(("data", "stage"), [("01", "encode"), ("02", "decode")])
def test_refused_roundtrip_names_its_stage(folder: Path, data: str, stage: str) -> None:
    answer = ask(folder, "roundtrip", bytes=data)
    assert (answer["error"], answer["stage"]) == ("ValueError", stage)


def test_text_of_a_rejection_is_bounded_and_printable(folder: Path) -> None:
    text = ask(folder, "decode", bytes="10")["rejected"]
    assert text.startswith("\\ud800xxx")
    assert len(text) < 3000


@pytest.mark.parametrize(
    ("data", "name"), [("02", "RecursionError"), ("0d", "Panic"), ("0f", "MemoryError")]
)
def test_what_should_have_ended_the_process_is_a_crash(folder: Path, data: str, name: str) -> None:
    assert ask(folder, "decode", bytes=data)["crashed"].startswith(name)


def test_not_implemented_is_unsupported(folder: Path) -> None:
    assert ask(folder, "decode", bytes="0e") == {"unsupported": "no such version"}


@pytest.mark.parametrize("op", ["encode-response", "explain", None])
def test_operation_without_a_method_is_unsupported(folder: Path, op: Any) -> None:
    assert "unsupported" in ask(folder, op, header={}, value={})


@pytest.mark.parametrize("data", ["04", "05", "06", "07", "08"])
def test_wrong_return_is_the_adapters_error(folder: Path, data: str) -> None:
    answer = ask(folder, "decode", bytes=data)
    assert list(answer) == ["adapter-error"]


def test_half_a_surrogate_pair_is_the_codecs_value(folder: Path) -> None:
    assert ask(folder, "decode", bytes="09") == {"value": {"field": "\ud800"}, "remaining": 0}


def test_writer_that_returns_no_bytes_is_the_adapters_error(folder: Path) -> None:
    answer = ask(folder, "encode", value=None)
    assert answer == {"adapter-error": "encode returned NoneType, not bytes"}


@pytest.mark.parametrize("keys", [{"bytes": "0"}, {"bytes": 1}, {}])
def test_request_without_its_arguments_is_no_answer_of_the_codec(
    folder: Path, keys: dict[str, Any]
) -> None:
    assert list(ask(folder, "decode", **keys)) == ["adapter-error"]


@pytest.mark.parametrize("line", ["{", "[]", "\xff"])
def test_line_that_is_no_request_is_answered_and_survived(folder: Path, line: str) -> None:
    answers, _, code = run(folder, line, "", {"op": "hello"})
    assert [list(answers[0]), answers[1]["name"], code] == [["adapter-error"], "toy", 0]


def test_prints_of_the_codec_never_reach_the_answers(folder: Path) -> None:
    request = {"op": "decode", "id": 1, "message": "M", "version": 0, "bytes": "00"}
    answers, err, _ = run(folder, request)
    assert len(answers) == 1
    assert "a native print" in err


def test_codec_that_reads_stdin_takes_no_request(folder: Path) -> None:
    assert ask(folder, "decode", bytes="0c")["value"] == {"stdin": ""}


@pytest.mark.parametrize(("data", "code"), [("0a", 7), ("0b", 5)])
def test_exit_of_the_codec_loses_no_earlier_answer(folder: Path, data: str, code: int) -> None:
    request = {"op": "decode", "message": "M", "version": 0}
    first, last = {**request, "id": 1, "bytes": "00"}, {**request, "id": 2, "bytes": data}
    answers, _, returned = run(folder, first, last, first)
    assert ([answer["id"] for answer in answers], returned) == ([1], code)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere:Codec", "cannot import 'nowhere': ModuleNotFoundError"),
        ("raises:Codec", "No module named 'nowhere_to_be_found'"),
        ("toy:Missing", "'toy' has no 'Missing'"),
        ("toy:Codec.missing", "'toy' has no 'Codec.missing'"),
        ("toy:Unwilling", "RuntimeError: no licence to run"),
        ("toy", "not of the form module:object"),
    ],
)
def test_codec_that_can_not_be_loaded_is_one_line_and_code_3(
    folder: Path, name: str, says: str
) -> None:
    answers, err, code = run(folder, {"op": "hello"}, name=name)
    assert (answers, code) == ([], 3)
    assert says in err
    assert len(err.splitlines()) == 1


def test_suite_that_leaves_is_no_traceback(folder: Path) -> None:
    with start(folder) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(b'{"op":"hello"}\n')
        process.stdin.close()
        assert b"Traceback" not in process.stderr.read()
        assert process.wait(30) == 0
