# The library's own files, with export/export.go added to its package, and what goes round them. go.mod pins the
# newest release; of another one it takes what Go's registry has. Each message is a package, so all are listed.
set -e
library=github.com/segmentio/kafka-go
if ! grep -q "$library v$1\$" go.mod; then
    rm go.mod go.sum
    go mod init driver
    if ! go get "$library/protocol/...@v$1"; then
        echo "release $1 of kafka-go can not be fetched: there is none, or the registry is out of reach"
        exit 1
    fi
fi
mkdir -p messages
{
    echo "// Package messages brings all messages that the library has: they are known once they are imported."
    echo "package messages"
    go list -mod=mod "$library/protocol/..." | grep "/protocol/" | grep -v "/prototest$" | sed 's/.*/import _ "&"/'
} >messages/messages.go
go mod vendor
cp export/export.go vendor/$library/protocol/conformance_export.go
go build -mod=vendor -buildvcs=false -o testee .
