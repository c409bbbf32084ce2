"""The gate of each kind of target."""
