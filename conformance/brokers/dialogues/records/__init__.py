"""Produce, Fetch, ListOffsets and DeleteRecords: a log and its records."""
