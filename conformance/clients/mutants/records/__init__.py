"""Clients with a defect in the records that they read and write."""
