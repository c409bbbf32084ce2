"""Fuzzing in shards: what one process does, and how corpora are merged."""
