"""The folder of a run and its tables in Parquet."""
