"""Targets compared with each other: where their answers differ, grouped by cause."""
