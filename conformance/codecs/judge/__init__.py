"""From what a target did to a verdict: pure functions, no I/O, the one place where that happens."""
