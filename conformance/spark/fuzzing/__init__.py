"""Fuzzing on the workers of a cluster."""
