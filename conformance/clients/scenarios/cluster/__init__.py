"""Scenarios about what an application asks of a cluster, logins and telemetry."""
