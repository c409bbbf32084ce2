"""Brokers with a defect in topics, partitions and Metadata."""
