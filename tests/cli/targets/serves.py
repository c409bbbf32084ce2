"""A testee of a codec in `faulty`, which its first argument names."""

import sys

import faulty

from conformance.targets.serve import serve

serve(getattr(faulty, sys.argv[1])())
