"""A mutant client as a program: `ACTION HOST:PORT MUTANT`."""

from __future__ import annotations

import sys

from conformance.clients.mutants import client_mutants
from conformance.reference.client.program import main

if __name__ == "__main__":
    sys.exit(main(lambda name: client_mutants()[name]()))
