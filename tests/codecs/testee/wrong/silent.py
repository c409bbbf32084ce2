"""Never answers hello."""

import sys

for _ in sys.stdin:
    pass
