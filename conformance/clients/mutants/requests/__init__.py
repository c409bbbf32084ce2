"""Clients with a defect in the frames of their requests."""
