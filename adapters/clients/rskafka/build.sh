# Builds the driver around a release; Cargo.toml pins the newest one.
set -eu
sed "s/^rskafka = .*/rskafka = \"=$1\"/" Cargo.toml > renamed && mv renamed Cargo.toml
case $1 in
0.5.*) mv src/login_before_0.6.rs src/login.rs ;;
0.[1-4].*) mv src/main_before_0.5.rs src/main.rs ;;
esac
case $1 in
0.[1-3].*) mv src/record_before_0.4.rs src/record.rs ;;
esac
case $1 in
0.1.*)
    mv src/beginning_before_0.2.rs src/beginning.rs
    sed -i 's/, Compression::NoCompression//; s/Compression, //' src/large.rs
    sed -i 's/Some(\(.*\)),/\1,/' src/record.rs
    ;;
0.3.*) sed -i 's/(EVENTS, 0).await/(EVENTS, 0)/' src/main.rs ;;
0.4.*)
    sed -i 's/(EVENTS, 0)/(EVENTS, 0, rskafka::client::partition::UnknownTopicHandling::Error)/' src/main.rs
    sed -i 's/ServerError(code, _)/ServerError { protocol_error: code, .. }/' src/main.rs
    sed -i 's|unix_timestamp_nanos() / 1_000_000|timestamp_millis()|' src/main.rs
    ;;
esac
exec cargo build --release --quiet
