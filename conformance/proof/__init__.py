"""The suite measured by itself: scores of its mutants, rule pages, examples and evidence."""
