"""Campaigns: generated cases at scale, on Spark."""
