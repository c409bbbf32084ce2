"""Streams of TCP connections, and the requests and answers in them."""
