"""Dialogues about ApiVersions and what it advertises."""
