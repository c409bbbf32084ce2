# Builds the driver around a release: with what go.mod pins, or else with what that release asks for at least.
set -eu
if grep -q "segmentio/kafka-go v$1\$" go.mod; then
    exec go build -mod=readonly -buildvcs=false -o driver .
fi
go mod edit "-require=github.com/segmentio/kafka-go@v$1"
go mod download "github.com/segmentio/kafka-go@v$1" # go doc knows no other
if ! GOFLAGS=-mod=mod go doc github.com/segmentio/kafka-go.DescribeGroupsRequest > /dev/null; then
    rm groups.go
fi
if ! GOFLAGS=-mod=mod go doc github.com/segmentio/kafka-go.DescribeConfigsRequest > /dev/null; then
    rm configs.go
fi
if ! GOFLAGS=-mod=mod go doc github.com/segmentio/kafka-go.ElectLeadersRequest > /dev/null; then
    rm electing.go
fi
tags=
if ! GOFLAGS=-mod=mod go doc github.com/segmentio/kafka-go.Transport > /dev/null; then
    tags=old
fi
exec go build -mod=mod "-tags=$tags" -buildvcs=false -o driver .
