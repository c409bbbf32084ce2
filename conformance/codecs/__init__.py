"""Codecs as targets: the cases, the testee protocol, the judge, the mutants and the diagnosis."""
