"""Malformed and unusual input: single edits of golden vectors, each of them one fault.

The modules of this package that make faults are loaded by `conformance.codecs.cases.mutate.faults`.
"""
