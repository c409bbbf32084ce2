"""Brokers with a defect in who may do what."""
