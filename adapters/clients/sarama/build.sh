# Builds the driver around a release: with what versions/ pins, or else with what that release asks for at least.
set -eu
if test -f "versions/$1.mod"; then
    exec go build -mod=readonly "-modfile=versions/$1.mod" -buildvcs=false -o driver .
fi
owner=IBM
case "$1" in 1.[0-9].* | 1.[12][0-9].* | 1.3[0-8].*) owner=Shopify ;; esac # as it was named until then
sed "s|IBM/sarama|$owner/sarama|" main.go > renamed && mv renamed main.go
go mod edit "-require=github.com/$owner/sarama@v$1"
exec go build -mod=mod -buildvcs=false -o driver .
