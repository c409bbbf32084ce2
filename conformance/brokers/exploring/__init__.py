"""Conversations that no person wrote: Hypothesis makes them, and the reference broker is the model.

`asking` has a table of what can be asked: for each API, how a request is made of what is known from
earlier answers, valid or near the edge. `machine` is Hypothesis' state machine: each step draws a
request, and `side_by_side` asks the target and the model the same. Their ids differ, so
`identities` keeps which stands for which. `comparing` decides if two answers say the same, but for
the `freedoms`, each with its reason. The first answer that differs ends a conversation, and
Hypothesis shortens it. What is left is stored (`storing`), and held again as any other dialogue.

A conversation knows the model's names and ids alone. So it does not depend on what the target
answers, and can be played again with any broker.
"""
