"""Clients as targets: what is played to them, how they are run, and how they are judged."""
