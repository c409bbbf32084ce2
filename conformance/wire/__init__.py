"""The protocol itself: bytes in, values and errors out, and no I/O."""
