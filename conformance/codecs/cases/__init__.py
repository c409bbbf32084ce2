"""Sources of cases: golden vectors, planned values, and single edits of them."""
