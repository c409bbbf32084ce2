"""aiokafka's decoders: messages, frames and batches of records."""

import sys

from conformance.fuzzing.session import fuzz_alone

if __name__ == "__main__":
    fuzz_alone("aiokafka", sys.argv[1:])
