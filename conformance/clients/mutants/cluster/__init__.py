"""Clients with a defect in what they ask about a cluster, or in how they log in."""
