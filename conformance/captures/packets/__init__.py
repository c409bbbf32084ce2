"""Capture files and the packets in them."""
