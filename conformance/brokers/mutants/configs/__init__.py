"""Brokers with a defect in how configs are described and altered."""
