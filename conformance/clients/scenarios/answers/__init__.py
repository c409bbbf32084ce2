"""Scenarios about the form of answers, and about errors that pass."""
