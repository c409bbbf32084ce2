"""What the kinds of target share: adapters and their builds, processes, and what can go wrong."""
