"""From the text of a definition to its model."""
