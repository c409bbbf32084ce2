"""Message definitions as targets: lint, evolution between releases, and other forms of them.

`schema.text.reading` reads a definition's JSON as far as possible and goes on after an error. The
loader takes the first error that leaves bytes undecided; `lint` applies its rules to everything
that was understood, and `json_text` finds the line of each finding. `schema.differing` lists how
two layouts differ on the wire; `evolution` and `foreign` make findings of that. `proofs` runs the
writer and the reader of the two definitions against each other, so that a finding shows bytes.
`run` makes the verdicts and results.
"""
