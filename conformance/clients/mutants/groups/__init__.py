"""Clients with a defect as members of a group."""
