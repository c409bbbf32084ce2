"""What a failing codec looks like: which mutant gives the same answers."""
