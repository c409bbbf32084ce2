"""Captures audited on Spark."""
