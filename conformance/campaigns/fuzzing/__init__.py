"""Fuzzing in shards: the work of one process, and the merging of corpora."""
