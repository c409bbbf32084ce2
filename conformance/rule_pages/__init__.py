"""A page of documentation for each rule, with its cases, its mutants and where it was broken."""
