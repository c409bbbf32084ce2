"""Golden vectors minted on Spark."""
