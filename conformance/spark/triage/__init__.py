"""The findings of many runs, merged and shortened on Spark."""
