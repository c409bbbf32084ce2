"""Ends before it reads anything."""

import sys

print("libcodec.so: cannot open shared object file", file=sys.stderr)
sys.exit(7)
