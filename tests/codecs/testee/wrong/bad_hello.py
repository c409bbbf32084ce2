"""Answers hello with its first argument, then reads on."""

import sys

for _ in sys.stdin:
    print(sys.argv[1], flush=True)
