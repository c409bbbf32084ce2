"""Code that all jobs on Spark share: sessions, workers, parts and progress."""
