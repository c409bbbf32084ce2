"""Brokers that lose members, mix generations up, or tell wrongly what groups there are."""
