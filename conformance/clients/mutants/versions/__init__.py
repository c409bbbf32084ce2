"""Clients with a defect in how they choose versions."""
