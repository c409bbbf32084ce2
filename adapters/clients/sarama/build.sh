# Builds the driver around a release: with what versions/ pins, or else with what that release asks for at least.
set -eu
if test -f "versions/$1.mod"; then
    exec go build -mod=readonly "-modfile=versions/$1.mod" -buildvcs=false -o driver .
fi
owner=IBM
case "$1" in 1.[0-9].* | 1.[12][0-9].* | 1.3[0-8].*) owner=Shopify ;; esac # as it was named until then
for file in *.go; do
    sed "s|IBM/sarama|$owner/sarama|" "$file" > renamed && mv renamed "$file"
done
go mod edit "-require=github.com/$owner/sarama@v$1"
go mod download "github.com/$owner/sarama@v$1" # go doc knows no other
if ! GOFLAGS=-mod=mod go doc "github.com/$owner/sarama.PartitionOffsetMetadata" > /dev/null || ! GOFLAGS=-mod=mod go doc "github.com/$owner/sarama.SyncProducer.CommitTxn" > /dev/null; then
    rm transaction.go
fi
if ! GOFLAGS=-mod=mod go doc "github.com/$owner/sarama.ClusterAdmin.DescribeConsumerGroups" > /dev/null; then
    rm groups.go
fi
if ! GOFLAGS=-mod=mod go doc "github.com/$owner/sarama.PartitionConsumer.Pause" > /dev/null; then
    rm pausing.go
fi
if ! GOFLAGS=-mod=mod go doc "github.com/$owner/sarama.AccessToken" > /dev/null; then
    rm oauth.go
fi
exec go build -mod=mod -buildvcs=false -o driver .
