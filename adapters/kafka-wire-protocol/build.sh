# Builds the testee around a release of kafka_wire_protocol.
set -e
cargo add --quiet "kafka_wire_protocol@=$1"
cargo build --release --quiet --bin testee
cargo build --release --quiet --bin evidence || : # it shows defects of the newest, by its types
cd target/release && rm -rf build deps incremental .fingerprint # 200 MB that nobody needs any more
