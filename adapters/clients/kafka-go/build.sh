# Builds the driver around a release: with what go.mod pins, or else with what that release asks for at least.
set -eu
if grep -q "segmentio/kafka-go v$1\$" go.mod; then
    exec go build -mod=readonly -buildvcs=false -o driver .
fi
go mod edit "-require=github.com/segmentio/kafka-go@v$1"
go mod download "github.com/segmentio/kafka-go@v$1" # go doc knows no other
while read -r file symbol; do # what a release lacks, its driver leaves out
    if ! GOFLAGS=-mod=mod go doc "github.com/segmentio/kafka-go.$symbol" > /dev/null; then
        rm "$file"
    fi
done << END
groups.go DescribeGroupsRequest
configs.go DescribeConfigsRequest
replacing.go AlterConfigsRequest
incremental.go IncrementalAlterConfigsRequest
acls.go DeleteACLsRequest
forgetting.go OffsetDeleteRequest
electing.go ElectLeadersRequest
END
tags=
if ! GOFLAGS=-mod=mod go doc github.com/segmentio/kafka-go.Transport > /dev/null; then
    tags=old
fi
exec go build -mod=mod "-tags=$tags" -buildvcs=false -o driver .
