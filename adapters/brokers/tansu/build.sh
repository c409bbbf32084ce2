# Builds Tansu's broker; its own name for what it keeps in memory is an object store.
set -e
cargo build --release --quiet
cd target/release && rm -rf build deps incremental .fingerprint # a gigabyte that nobody needs any more
