"""Dialogues about ACLs: created, listed, refused and deleted."""
