"""The suite measured by itself: what the proof, rule pages and evidence say of it."""
