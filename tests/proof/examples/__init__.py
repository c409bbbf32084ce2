"""The examples of rules in bytes: the reference beside the mutants that break each rule.

`python -m tests.proof.examples [KIND...]` writes the files of `conformance/rules/examples`, all or
those of `codec`, `broker`, `client` and `proxy`. A module for each kind finds the differences
between a mutant and the reference; `making` chooses the best for each rule.
"""
