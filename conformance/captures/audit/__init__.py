"""The judging of captured frames, the totals of their faults, and how both are shown."""
