"""Batches of records and messages of before there were any, on the wire."""
