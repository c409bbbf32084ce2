"""Brokers that the suite starts itself: Apache Kafka, other programs, and our own."""
