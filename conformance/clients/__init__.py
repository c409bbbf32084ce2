"""Clients as targets: scenarios, the client's program and its visits, the judge and the mutants.

A rule is decided by a scenario (`scenarios`): the reference broker with a method or two overridden,
and for each rule a function that looks at the visit, which holds all frames with their times and
how the client's program ended. Each visit starts the program anew. `visits` runs the scenario's
control case first, the same without the one thing that differs, and charges the first rule that a
visit breaks. `reference.client` is a generator of steps, so that its mutants meet the scenarios
without a socket; each breaks its own rule, those that it `implies`, and no other.

The time limit of a visit follows from how long the program takes if nothing is wrong and, once a
visit had to be ended, from how long it waits for a broker that never answers (`time_limit`).
`runner` repeats such a visit alone, with three times the limit, before it counts as a hang.
`targets.crashes` and `program` decide whether a program crashed or reported an error.
"""
