"""A tap between clients and a broker: bytes go through untouched, and are judged as captures are.

A process of its own forwards, so that judging never holds it up; what it read it tells the process
that judges, through a pipe. Nothing else of `captures` has sockets.
"""
