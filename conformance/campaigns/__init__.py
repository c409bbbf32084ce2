"""Campaigns: the cases that are made, judged, counted and shortened, and their tables."""
