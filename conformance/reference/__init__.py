"""Our own codec, broker, client and proxy, which keep every rule.

`wire.reader` and `wire.writer` walk a layout field by field and know where they are.
`wire.compiled` turns the layout into straight-line Python, which is loaded from a cache on disk.
Generated code does not track its place: what it refuses is read or written again by the plain
reader or writer, which says what is wrong and where. Tests compare the two on every form. Mutants
are subclasses of the plain classes with one method overridden.
"""
