"""The data pipeline: golden vectors are minted here."""
