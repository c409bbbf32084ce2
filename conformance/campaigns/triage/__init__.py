"""The failures of any number of runs, grouped into few causes."""
