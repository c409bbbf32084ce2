"""Our own codec, broker, client and proxy, which keep every rule.

`wire.reader` and `wire.writer` walk a layout field by field and know their position.
`wire.compiled` turns the layout into straight-line Python, which is loaded from a cache on disk.
Generated code does not track its position: bytes or values that it refuses are read or written
again by the plain reader or writer, which reports the fault and its place. Tests compare the two on
every form. Mutants are subclasses of the plain classes with one method overridden.
"""
