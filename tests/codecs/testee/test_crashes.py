"""A small real program for each way to come to grief: what is a crash, and what an error."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.clients.program import ClientProgram
from conformance.codecs.testee.testee import Testee
from conformance.targets.crashes import sign_of_crash
from conformance.testee_protocol import Request

LIMIT_S = 60.0

GO = """package main
import ("fmt"; "os")
func main() {
    fmt.Fprintln(os.Stderr, "connected")
    %s
}
"""
RUST = "fn main() { %s }"
JAVA = "class Program { public static void main(String[] words) throws Exception { %s } }"
CXX = "#include <stdexcept>\n#include <cstdlib>\nint main(int n, char** words) { %s }"


@dataclass(frozen=True)
class Form:
    """A program by its language and body, how it ends, and what is said of that."""

    language: str
    body: str
    outcome: str
    says: str

    def __str__(self) -> str:
        return f"{self.language}: {self.says or self.outcome}"


CRASHES = [
    Form(language, body, "crashed", says)
    for language, body, says in (
        ("go", 'size := -len(os.Args); _ = make([]byte, size); fmt.Println("x")', "panic: "),
        ("go", "fmt.Print(); os.Stdin = nil; select {}", "all goroutines are asleep"),
        ("rust", "let n = std::env::args().count(); [1, 2][n + 5..].len();", "panicked at"),
        ("java", "int[] room = new int[Integer.MAX_VALUE];", "OutOfMemoryError"),
        ("node", "const a = []; for (;;) a.push(new Array(1e5).fill(1))", "SIGABRT"),
        ("node", "new ArrayBuffer(2 ** 45)", "Array buffer"),
        ("python", "bytearray(2 ** 50)", "MemoryError"),
        ("python", "import os; os.abort()", "SIGABRT"),
        ("c++", 'throw std::runtime_error("cut");', "terminate called"),
        ("sh", "printf 'panic: ' >&2; sleep 0.1; echo cut >&2; exit 2", "panic: cut"),
        ("sh", "kill -SEGV $$", "SIGSEGV"),
        ("sh", "sh -c 'kill -SEGV $$'; exit $?", "as a shell tells of SIGSEGV"),
    )
]
ERRORS = [
    Form(language, body, "error", says)
    for language, body, says in (
        ("go", 'fmt.Fprintln(os.Stderr, "no broker"); os.Exit(2)', "no broker"),
        ("rust", 'eprintln!("no broker"); std::process::exit(1)', "no broker"),
        ("java", 'throw new IllegalStateException("no broker");', "IllegalStateException: no"),
        ("node", 'Promise.reject(new TypeError("no broker"))', "Error: no broker"),
        ("python", 'raise ValueError("no broker")', "ValueError: no broker"),
        ("python", 'print("error 7 no broker"); raise SystemExit(1)', "7 no broker"),
        ("python", 'import sys; sys.exit("panics are not our way")', "panics are not"),
        ("sh", "exit 3", "exited with status 3"),
    )
]
CALM = Form("python", 'import sys; print("panic: none", file=sys.stderr)', "ok", "")
TOOLS = {"go": "go", "rust": "rustc", "java": "java", "node": "node", "c++": "g++"}


def needing_tools(form: Form) -> object:
    tool = TOOLS.get(form.language)
    missing = tool is not None and shutil.which(tool) is None
    return pytest.param(form, id=str(form), marks=pytest.mark.skipif(missing, reason=f"no {tool}"))


@pytest.fixture
def command(tmp_path: Path) -> Callable[[Form], list[str]]:
    """The command of a program, compiled if it has to be."""

    def built(source: str, text: str, *compiler: str) -> list[str]:
        (tmp_path / source).write_text(text)
        program = str(tmp_path / "program")
        subprocess.run([*compiler, "-o", program, source], cwd=tmp_path, check=True)
        return [program]

    def made(form: Form) -> list[str]:
        body = form.body
        match form.language:
            case "go":
                return built("main.go", GO % body, "go", "build")
            case "rust":
                return built("main.rs", RUST % body, "rustc")
            case "c++":
                return built("main.cc", CXX % body, "g++")
            case "java":
                (tmp_path / "Program.java").write_text(JAVA % body)
                return ["java", "-Xmx64m", str(tmp_path / "Program.java")]
            case "node":
                return ["node", "--max-old-space-size=32", "-e", body]
            case "sh":
                return ["sh", "-c", body]
        return [sys.executable, "-c", body]

    return made


@pytest.mark.parametrize("form", list(map(needing_tools, (*CRASHES, *ERRORS, CALM))))
def test_a_program_that_crashed_is_told_from_one_that_failed(form, command) -> None:
    ended = ClientProgram([*command(form), "{bootstrap}"]).visit("127.0.0.1:1", "topics", LIMIT_S)
    assert (ended.outcome, form.says in ended.text) == (form.outcome, True), ended


@pytest.mark.parametrize("form", list(map(needing_tools, CRASHES)))
def test_a_driver_that_crashed_is_told_with_what_it_wrote(form, command) -> None:
    ended = driven(command(form))
    is_told = form.says in ended.text or "139" in ended.text
    assert (ended.outcome, is_told) == ("crashed", True), ended


SILENT = [each for each in ERRORS if "print(" not in each.body]


@pytest.mark.parametrize("form", list(map(needing_tools, SILENT)))
def test_a_testee_that_ends_in_place_of_an_answer_has_crashed(form, command, tmp_path) -> None:
    said = '{"protocol":1,"name":"x","version":"1","language":"x","ops":["decode"],'
    hello = said + '"messages":{"MetadataRequest":[0,0]}}'
    (tmp_path / "testee.sh").write_text(f"read line\necho '{hello}'\nread line\nexec \"$@\"\n")
    words = ["sh", str(tmp_path / "testee.sh"), *command(form)]
    with Testee(words, timeout_s=LIMIT_S) as testee:
        [outcome] = testee.ask([Request(op="decode", message="MetadataRequest", version=0)])
    assert outcome.outcome == "crashed"
    assert outcome.ended


def driven(words: list[str]):
    driver = ClientProgram([*words, "{action}", "{bootstrap}"])
    return driver.visit("127.0.0.1:1", "topics", LIMIT_S)


def python(code: str):
    return driven([sys.executable, "-c", f"import os, sys\n{code}"])


@pytest.mark.parametrize(
    ("code", "outcome", "says"),
    [
        ("print('ok')", "ok", ""),
        ("print('error 7 no broker'); sys.exit(1)", "error", "7 no broker"),
        ("print('unsupported no groups'); sys.exit(1)", "unsupported", "no groups"),
        ("print('unsupported'); print('error 3 no'); sys.exit(1)", "error", "3 no"),
        ("print('error'); print('panic: recovered', file=sys.stderr)", "error", ""),
        ("", "crashed", "exited with status 0 without `ok`, `error` or `unsupported`"),
        ("print('okay')", "crashed", "without `ok`"),
        ("print('ok'); print('and more')", "crashed", "without `ok`"),
        ("sys.exit(2)", "crashed", "exited with status 2"),
        ("sys.exit('x')", "crashed", "exited with status 1 without"),
        ("raise ValueError('no broker')", "error", "ValueError: no broker"),
        ("def f(n): f(n + 1)\nf(0)", "error", "RecursionError: "),
        ("print('ok'); raise ValueError('on closing')", "ok", ""),
        ("print('error MemoryError'); sys.exit(1)", "crashed", "MemoryError"),
        ("print('ok', flush=True); os.abort()", "crashed", "SIGABRT"),
        ("print('ok'); sys.exit('panic: on closing')", "crashed", "panic: on closing"),
    ],
)
def test_a_driver_says_how_it_went_or_has_crashed(code: str, outcome: str, says: str) -> None:
    ended = python(code)
    assert (ended.outcome, says in ended.text) == (outcome, True), ended


@pytest.mark.parametrize(
    ("code", "is_silent"),
    [
        ("", True),
        ("sys.exit(2)", True),
        ("raise ValueError", True),
        ("print('error')", False),
        ("os.abort()", False),
        ("bytearray(2 ** 50)", False),
        ("sys.exit(139)", False),
    ],
)
def test_a_driver_without_a_word_of_its_own_is_told_from_one_that_crashed(code, is_silent) -> None:
    assert python(code).is_silent == is_silent


JAVA_RAISES = 'throw new IllegalStateException("no broker");'
JAVA_OVERFLOWS = "main(words);"


@pytest.mark.parametrize(("body", "outcome"), [(JAVA_RAISES, "error"), (JAVA_OVERFLOWS, "crashed")])
@pytest.mark.skipif(shutil.which("java") is None, reason="no java")
def test_an_exception_of_java_is_an_error_and_a_full_stack_a_crash(body, outcome, command) -> None:
    ended = driven(command(Form("java", body, outcome, "")))
    assert (ended.outcome, ended.is_silent) == (outcome, True), ended


def test_a_driver_that_said_its_word_and_stays_is_told_with_it() -> None:
    program = [sys.executable, "-uc", "import time; print('ok'); time.sleep(600)", "{action}"]
    ended = ClientProgram([*program, "{bootstrap}"]).visit("127.0.0.1:1", "topics", 1.0)
    assert (ended.outcome, ended.text) == (
        "hung",
        "it was ended after 1 s, though it had said `ok`",
    )


def test_a_panic_is_found_above_long_traces() -> None:
    code = "print('panic: here', file=sys.stderr)\nfor n in range(9999): print(n, file=sys.stderr)"
    ended = python(f"{code}\nsys.exit(2)")
    assert "panic: here" in ended.text


def test_a_panic_says_what_went_wrong_and_not_in_whose_folder() -> None:
    place = b"/home/a/.cargo/registry/src/index.crates.io-1949cf8c/bytes-1.12.2/src/lib.rs:207:5:"
    said = b"thread 'main' (7) panicked at " + place + b"\nadvance out of bounds\nnote: run with\n"
    assert sign_of_crash(b"before\n" + said) == (
        "thread 'main' (7) panicked at registry/bytes-1.12.2/src/lib.rs:207:5: "
        "advance out of bounds"
    )


def test_a_panic_in_one_line_is_told_as_it_is() -> None:
    said = b"panic: runtime error: index out of range [5]\n\ngoroutine 1 [running]:\n"
    assert sign_of_crash(said) == "panic: runtime error: index out of range [5]"
