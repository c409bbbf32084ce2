"""Scenarios about groups, their members and their coordinators."""
