# The library's own files, with export/export.go added to its package, and what goes round them.
set -e
cp "versions/$1.mod" go.mod
cp "versions/$1.sum" go.sum
go mod vendor
cp export/export.go vendor/github.com/IBM/sarama/conformance_export.go
go build -mod=vendor -buildvcs=false -o testee .
go build -mod=vendor -buildvcs=false -o show ./evidence
