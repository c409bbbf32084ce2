"""The diagnosis of a codec: which known defects give the answers that it gives.

A diagnosis goes from the verdicts of a run to sentences in a report, in these steps:

1. `symptoms` takes each verdict: it counts them by rule, and keeps a sample of the cases that
   passed. Failures are put into sorts (`reporting.sorts`), with up to three cases of each.
2. `diagnosis` calls the steps below. Sorts that one step explains are left out of the next.
3. `shown`, `api_keys` and `compressed` find causes that answers show by themselves: surplus or lost
   fields, enumerations, a wrong api key, batches that are not decompressed.
4. `evidence` orders the failures left, and `search` compares them with the suspects: mutants,
   habits, draft readings, and edits of definitions, which `suspects` lists and makes into codecs.
   `line_up` asks these codecs what the target was asked; a suspect explains a case if it gives the
   same answer. As few are named as explain most, if they fail nothing that the target passed.
   `chains` finds several edits of one message.
5. `shown` again, `refused` and `other_layout` find causes in what is left of each message: a lost
   field, a value that is refused, a version in which nearly every case fails.
6. `places` finds sorts that differ in values of one type alone, and `traits` what the messages of
   the other sorts have in common.

The result is `reporting.findings.Explained`, with words on each sort. `reporting.findings` writes
the findings with them.
"""
