"""Message definitions as targets: lint, evolution, and importers of others' forms."""
