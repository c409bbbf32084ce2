"""Brokers with a defect in how ACLs are made, found and removed."""
