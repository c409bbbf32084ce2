"""The suite measured by itself: what README, rule pages and evidence say of it."""
