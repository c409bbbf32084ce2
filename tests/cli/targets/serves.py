"""A testee of a codec in `faulty`, which its first argument names."""

import sys
from importlib import import_module

from conformance.codecs.testee.serve import serve

serve(getattr(import_module("faulty"), sys.argv[1])())
