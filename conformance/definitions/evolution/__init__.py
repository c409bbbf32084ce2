"""What a definition may not do from one release to the next, a function a rule; and its history."""
