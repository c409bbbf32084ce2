"""Pure functions, without I/O, that turn the outcomes of a target into verdicts."""
