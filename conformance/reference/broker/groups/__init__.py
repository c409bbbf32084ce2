"""The reference broker's groups, coordinators and transactions."""
