"""Message definitions of others: what reads them, whatever their form, into our model."""
