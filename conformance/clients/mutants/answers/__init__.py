"""Clients that come to grief over an answer."""
