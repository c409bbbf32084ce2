# Builds the driver around a release; Cargo.toml pins the newest one.
set -eu
sed "s/^rskafka = .*/rskafka = \"=$1\"/" Cargo.toml > renamed && mv renamed Cargo.toml
exec cargo build --release --quiet
