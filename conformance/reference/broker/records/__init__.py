"""The reference broker's logs: Produce and Fetch."""
