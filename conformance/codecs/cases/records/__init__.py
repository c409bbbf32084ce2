"""Cases about batches of records: which are planned, how they are asked, and what is edited."""
