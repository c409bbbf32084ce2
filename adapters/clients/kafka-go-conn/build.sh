# Builds the driver around a release: with what go.mod pins, or else with what that release asks for at least.
set -eu
if grep -q "segmentio/kafka-go v$1\$" go.mod; then
    exec go build -mod=readonly -buildvcs=false -o driver .
fi
go mod edit "-require=github.com/segmentio/kafka-go@v$1"
exec go build -mod=mod -buildvcs=false -o driver .
