"""Dialogues about configs: described, and altered."""
