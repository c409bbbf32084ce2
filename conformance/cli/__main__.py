"""`python -m conformance.cli`."""

from conformance.cli import main

main(prog_name="kafka-conformance")
