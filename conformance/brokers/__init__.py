"""Brokers as targets: dialogues, connections, the judge and the mutants.

A rule is decided by a generator (`dialogues`): it yields bytes to send and frames to wait for, and
raises `Broken` if an answer is wrong. It holds no socket, so that the same dialogue runs over TCP
and against a broker that is an object in this process. `exchange` runs each dialogue on a
connection of its own. A dialogue that sends what no client would has a well-formed control case,
which runs before and after it and also shows whether the broker is still alive.

If a dialogue fails, `dialogues.controls` names its control cases: the dialogues of the rules that
it relies on, and a plain request of each API and version that was not answered whole. If one of
these fails too, the rule is `not-proven` and names it. A step that only prepares a dialogue says by
`judged_by` which rule judges it.

Where no rule asks, `exploring` does: it makes up conversations, and compares each answer with that
of the reference broker. A difference is held again as a dialogue like any other.

`reference.broker` keeps every rule; a mutant overrides one of its methods, and is caught by the
rule that it breaks. Dialogues that change something run only with `--allow-writes` and under names
of their own, which `dialogues.cleaning` finds by their prefix and deletes. A broker that the suite
started (`started`) is restarted when it dies, so that a crash costs one verdict.
"""
