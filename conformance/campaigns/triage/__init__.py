"""The failures of any runs, as few causes."""
