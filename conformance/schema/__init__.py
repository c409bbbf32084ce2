"""Message definitions: their model, loading, import from a Kafka release, and forms on the wire."""
