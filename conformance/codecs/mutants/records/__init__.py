"""Codecs with a defect in batches of records."""
