"""A broker as a program, HOST:PORT its argument, that a negative size ends as a whole."""

from __future__ import annotations

import os
import socketserver
import sys

from tests.brokers.test_dying import Mortal, stocked_mortal

MORTAL = stocked_mortal()


class Connection(socketserver.BaseRequestHandler):
    """A connection to it."""

    def handle(self) -> None:
        session = MORTAL.session()
        while not session.closed and (data := self.request.recv(65536)):
            for answer in session.answers(data):
                self.request.sendall(answer)
            if not Mortal.running or not MORTAL.running:
                os._exit(3)


class Server(socketserver.ThreadingTCPServer):
    """Where it listens."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 200


if __name__ == "__main__":
    host, _, port = sys.argv[1].rpartition(":")
    Server((host, int(port)), Connection).serve_forever()
