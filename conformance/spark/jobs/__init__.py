"""What all jobs on Spark share: sessions, workers, parts, rounds and tables."""
