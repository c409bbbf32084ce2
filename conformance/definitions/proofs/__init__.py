"""Proofs in bytes that two definitions differ on the wire."""
