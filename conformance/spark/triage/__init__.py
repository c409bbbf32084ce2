"""What many runs found, put together on Spark."""
