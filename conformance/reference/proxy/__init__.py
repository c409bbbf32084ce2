"""A proxy of our own, without I/O, and the server around it."""
