"""Scenarios about records that are read and written."""
