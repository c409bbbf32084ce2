"""Message definitions of other projects: importers that read any form of them into our model."""
