"""Codecs in a process of their own, or of this one, asked by the testee protocol.

`conformance.codecs.resolve` turns what a user names into something with `hello`, `ask` and `close`:
a program on its pipes (`testee`), an adapter of this repository, which is built first, or an object
of this process (`in_process`). `smoke` checks an adapter alone. Going the other way, `serve` makes
a Python codec a program that anyone can ask.
"""

from conformance.codecs.testee.serve import serve

__all__ = ["serve"]
