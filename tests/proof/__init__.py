"""The suite measured by itself: scores of its mutants, examples and evidence."""
