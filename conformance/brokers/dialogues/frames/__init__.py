"""Dialogues about frames and headers, whatever is in them."""
