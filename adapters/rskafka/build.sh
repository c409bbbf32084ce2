# Builds the testee around a release of rskafka, whose feature for fuzzing makes the protocol's modules public.
set -e
case $1 in
0.1.*) features="--no-default-features --features fuzzing" ;; # its only default is TLS
*) features="--features unstable-fuzzing" ;;
esac
cargo add --quiet "rskafka@=$1" $features
cargo build --release --quiet --bin testee
cargo build --release --quiet --bin evidence || : # it shows defects of the newest, by its types
cd target/release && rm -rf build deps incremental .fingerprint # 200 MB that nobody needs any more
