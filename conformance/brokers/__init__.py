"""Brokers as targets: what is asked of them, how they are reached, and how they are judged."""
