"""Dialogues about topics: created, deleted, told by Metadata, and written to."""
