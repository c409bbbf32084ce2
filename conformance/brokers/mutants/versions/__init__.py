"""Brokers with a defect in ApiVersions."""
