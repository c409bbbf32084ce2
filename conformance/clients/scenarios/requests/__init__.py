"""Scenarios about what a client's requests hold."""
