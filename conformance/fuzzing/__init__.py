"""Coverage-guided fuzzing of decoders: inputs, mutation, suspicions, and their triage.

`process` is one codec under atheris. `mutator` derives an input from another by one break or one
changed field, `harness` executes it and compares what can be compared in microseconds. A suspicion
is written to a file at once, so that it outlives the process. `campaign` starts the processes,
restarts those that die, and knows the input that each was at.

A fuzzing process only suspects. `triage` makes a case of each suspicion (`codecs.cases.from_bytes`
gives the accepted outcomes), has `codecs.run` judge it on a fresh process of the target by the same
function as everything else, and shortens it.
"""
