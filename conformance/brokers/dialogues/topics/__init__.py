"""Dialogues about topics: created, deleted, listed by Metadata, and written to."""
