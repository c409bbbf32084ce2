"""The reference broker's connections: ApiVersions, SASL, telemetry, sockets."""
