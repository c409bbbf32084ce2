# Installs a release. One before 2.0 has no build for this Python: its own source is compiled against
# the librdkafka that its builds for an older Python bring along. The header lies in a crate.
set -eu
python=$1 version=$2
pip() { "$python" -m pip --disable-pip-version-check --no-input "$@"; }
case $version in
1.[0-4].*) crate=2.0.0+1.4.2 ;;
1.*) crate=4.3.0+1.9.2 ;;
*) pip install "confluent-kafka==$version" && exit ;;
esac
old="--python-version 3.8 --platform manylinux1_x86_64 --platform manylinux2010_x86_64 --platform manylinux2014_x86_64"
pip download $old --only-binary :all: --no-deps -d wheel "confluent-kafka==$version"
"$python" -m zipfile -e wheel/*.whl wheel
library=$(find wheel -name 'librdkafka-*.so*')
mv "$(dirname "$library")" lib
ln -s "$(basename "$library")" lib/librdkafka.so
mkdir -p header/src include/librdkafka
printf '[package]\nname = "header"\nversion = "0.0.0"\n[dependencies]\nrdkafka-sys = "=%s"\n' "$crate" > header/Cargo.toml
touch header/src/lib.rs
cargo vendor --quiet --manifest-path header/Cargo.toml header/vendor
cp header/vendor/rdkafka-sys/librdkafka/src/rdkafka.h include/librdkafka
case $version in # what is published of its source can't be built: the next one's, without another librdkafka
1.4.0) source=1.4.1 ;;
*) source=$version ;;
esac
pip download --no-deps --no-binary :all: --no-build-isolation -d source "confluent-kafka==$source"
tar -xf source/*.tar.gz -C source --strip-components 1
case $version in # what this Python hands over with a length has another type than it had
1.[0-5].*) sed -i 's/\bint value_len = 0, key_len = 0;/Py_ssize_t value_len = 0, key_len = 0;/' source/confluent_kafka/src/Producer.c ;;
esac
export CFLAGS="-w -DPY_SSIZE_T_CLEAN" C_INCLUDE_PATH="$PWD/include" LIBRARY_PATH="$PWD/lib"
export LDFLAGS="-Wl,--no-as-needed,--disable-new-dtags,-rpath,$PWD/lib"
for beside in lib/libz-*.so*; do
    test -f "$beside" && LDFLAGS="$LDFLAGS -l:$(basename "$beside")"
done
pip install --no-cache-dir --no-deps --no-build-isolation ./source
rm -r header source wheel
