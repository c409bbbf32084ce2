"""The line of a program's last output that says by which error it ended."""

import pytest

from conformance.targets.error_lines import error_in

NODE = """\
node:internal/buffer:88
    throw new ERR_BUFFER_OUT_OF_BOUNDS();
    ^

RangeError [ERR_BUFFER_OUT_OF_BOUNDS]: Attempt to access memory outside buffer bounds
    at boundsError (node:internal/buffer:88:9)
    at Buffer.readInt32BE (node:internal/buffer:481:5)
    at Socket.<anonymous> (/home/me/node_modules/x/connection.js:5:3) {
  code: 'ERR_BUFFER_OUT_OF_BOUNDS'
}

Node.js v20.19.0
"""
NODE_PLAIN = """\
/home/me/x.js:3
  throw new Error('no broker: none');
  ^

Error: no broker: none
    at parseError (/home/me/x.js:3:9)

Node.js v20.19.0
"""
JAVA = """\
SLF4J: no binding
Exception in thread "kafka-reader" java.lang.IllegalStateException: no topic
\tat com.example.IOException.of(Reader.java:12)
\t... 3 more
Caused by: java.io.IOException: closed
\tat com.example.Reader.read(Reader.java:40)
"""
GO = """\
panic: runtime error: index out of range [3] with length 3

goroutine 7 [running]:
main.readError(0x1: 2)
\t/home/me/main.go:17 +0x1d
exit status 2
"""
RUST = """\
thread 'main' panicked at src/reader.rs:7:13:
called `Result::unwrap()` on an `Err` value: UnexpectedEof
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
PYTHON = """\
Traceback (most recent call last):
  File "driver.py", line 4, in <module>
    raise ValueError("first: one")
ValueError: first: one

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "driver.py", line 6, in <module>
kafka.errors.KafkaTimeoutError: none came
"""


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (
            NODE,
            "RangeError [ERR_BUFFER_OUT_OF_BOUNDS]: Attempt to access memory outside buffer bounds",
        ),
        (NODE_PLAIN, "Error: no broker: none"),
        (
            JAVA,
            'Exception in thread "kafka-reader" java.lang.IllegalStateException: no topic',
        ),
        (GO, "panic: runtime error: index out of range [3] with length 3"),
        (
            RUST,
            (
                "thread 'main' panicked at src/reader.rs:7:13: "
                "called `Result::unwrap()` on an `Err` value: UnexpectedEof"
            ),
        ),
        (PYTHON, "kafka.errors.KafkaTimeoutError: none came"),
        ("no error is named\nbut this is the end\n", "but this is the end"),
        ("", ""),
    ],
    ids=["node", "node-plain", "java", "go", "rust", "python", "none", "nothing"],
)
def test_the_error_is_told_and_not_a_place_in_its_stack(said, error):
    assert error_in(said) == error
