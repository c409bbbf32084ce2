"""Targets against each other: where their answers differ, by cause."""
