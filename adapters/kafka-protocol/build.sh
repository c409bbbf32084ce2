# Builds the testee around a release of kafka-protocol: those with maps do not compile with newer bytes.
set -e
cargo add --quiet "kafka-protocol@=$1"
case $1 in 0.[0-9].* | 0.1[0-3].*) cargo update --quiet bytes --precise 1.9.0 ;; esac
cargo build --release --quiet --bin testee
cargo build --release --quiet --bin evidence || : # it shows defects of the newest, by its types
cd target/release && rm -rf build deps incremental .fingerprint # 200 MB that nobody needs any more
