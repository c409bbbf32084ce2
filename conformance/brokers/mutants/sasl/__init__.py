"""Brokers with a defect in the login."""
