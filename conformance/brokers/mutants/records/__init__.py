"""Brokers whose logs are wrong."""
