"""Scenarios about the versions that brokers list, serve and refuse."""
