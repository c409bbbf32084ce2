# Builds the driver around a release; Cargo.toml pins the newest one.
set -eu
sed "s/^rskafka = .*/rskafka = \"=$1\"/" Cargo.toml > renamed && mv renamed Cargo.toml
case $1 in 0.5.*) mv src/login_before_0.6.rs src/login.rs ;; esac
exec cargo build --release --quiet
