# Builds Shotover with what is Kafka's of it.
set -e
cargo build --release --quiet
cd target/release && rm -rf build deps incremental .fingerprint # half a gigabyte that nobody needs any more
