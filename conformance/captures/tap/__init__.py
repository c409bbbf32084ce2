"""A tap between clients and a broker: bytes go through untouched, and are judged as captures are.

A separate process forwards, so that judging never slows it down; it sends what it read through a
pipe to the process that judges. Nothing else in `captures` has sockets.
"""
