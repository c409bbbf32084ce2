"""Brokers with a defect in frames, headers and tagged fields."""
