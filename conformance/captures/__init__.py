"""Captured traffic: packets, the streams of connections, frames of Kafka, and verdicts.

`packets` reads packets and finds the TCP segments. `streams` puts segments in order, cuts the
stream into frames, and pairs responses with requests by their ids and their order. `audit` treats
a frame as a case like any other, judged by `codecs.judge`: the expected bytes are the canonical
ones of the value that was read. The hash of a connection's ends assigns it to one of any number of
tasks. Memory is bounded, and only the `tap` opens sockets.

The `tap` is another source of segments. A process of its own (`forwarding`) copies bytes between
sockets and knows nothing of Kafka; it writes to a pipe what it read, and while the judge is slower,
only how much that was (`outbox`). `lines` makes segments of the pipe. The pcapng file holds these
segments or, without secrets, packets made of the frames that were read (`recording`).
"""
