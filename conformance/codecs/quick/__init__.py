"""The few cases that are asked first: as few as catch every mutant that all cases catch."""
