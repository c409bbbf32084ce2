"""Captured traffic: packets from files, streams of connections, frames of Kafka, and verdicts."""
