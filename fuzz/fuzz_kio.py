"""kio's decoders, a native reader among them: messages, frames and batches of records."""

import sys

from conformance.fuzzing.session import fuzz_alone

if __name__ == "__main__":
    fuzz_alone("kio", sys.argv[1:])
