"""Proxies: the suite is the client before one and the broker behind it, and sees both sides."""
