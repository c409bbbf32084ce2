"""Campaigns: generated cases, judged, counted, stored, compared and shortened, without Spark.

`generate` draws a family of cases from a seed and a number, `families` adapts it to a target, and
`chunk` judges some thousands of cases with `codecs.run`, as the gate does; it writes what is worth
keeping and returns counts. `rounds` cuts a run into chunks by the number of cases alone, so that a
laptop and a cluster cut it alike. `storage` has the folder of a run and the columns of its tables,
and knows which rounds are complete. `differential` compares targets, `triage` groups failures of
any runs, `fuzzing` is one shard of a campaign of atheris, and `minting` makes the vectors.

`conformance.spark` runs these on a cluster: `spark.campaign` chunk by chunk and round by round,
`spark.fuzzing` shard by shard; work that writes nothing itself goes through `spark.jobs.parts`.
"""
