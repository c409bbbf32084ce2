"""Dialogues about ACLs: what is made, found, refused and removed."""
