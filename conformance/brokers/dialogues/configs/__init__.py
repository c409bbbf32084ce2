"""Dialogues about configs: what is described, and what is altered."""
