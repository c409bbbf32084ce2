"""The results of a run, as lines (`lines`) and as files of lines (`files`)."""
