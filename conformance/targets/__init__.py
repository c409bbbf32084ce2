"""Code that all kinds of target share: adapters and their builds, processes, and their errors."""
