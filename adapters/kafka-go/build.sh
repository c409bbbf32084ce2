# The library's own files, with export/export.go added to its package, and what goes round them.
set -e
go mod vendor
cp export/export.go vendor/github.com/segmentio/kafka-go/protocol/conformance_export.go
go build -mod=vendor -buildvcs=false -o testee .
go build -mod=vendor -buildvcs=false -o show ./evidence
