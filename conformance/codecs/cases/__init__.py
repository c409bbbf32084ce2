"""Where cases come from: golden vectors, planned values, and single edits of them."""
