"""What is judged, and how it is reached.

`resolve.open_target` turns what a user names into something with `hello`, `ask` and `close`: a
program on its pipes (`testee`), an adapter of this repository, which is built first (`registry`),
or our own codec (`in_process`). What goes wrong on the way is in `errors`, and `smoke` checks an
adapter alone. Going the other way, `serve` makes a Python codec a program that anyone can ask.
"""

from conformance.codecs.testee.serve import serve

__all__ = ["serve"]
