"""Dialogues about the rights of a second principal."""
