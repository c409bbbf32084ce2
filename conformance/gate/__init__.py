"""The pytest modules that a run collects, and the gate that they share."""
