"""The diagnosis of a failing codec: the mutant that gives the same answers."""
