"""Codecs in a process of their own, or of this one, asked by the testee protocol."""
