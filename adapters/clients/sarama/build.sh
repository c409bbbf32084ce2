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
while read -r file symbol; do # what a release lacks, its driver leaves out
    if test -f "$file" && ! GOFLAGS=-mod=mod go doc "github.com/$owner/sarama.$symbol" > /dev/null; then
        rm "$file"
    fi
done << END
transaction.go PartitionOffsetMetadata
acls.go Resource.ResourcePatternType
incremental.go ClusterAdmin.IncrementalAlterConfig
forgetting.go ClusterAdmin.DeleteConsumerGroupOffset
dirs.go ClusterAdmin.DescribeLogDirs
transaction.go SyncProducer.CommitTxn
twice.go SyncProducer.CommitTxn
groups.go ClusterAdmin.DescribeConsumerGroups
pausing.go PartitionConsumer.Pause
positions.go PartitionConsumer.Pause
sticky.go BalanceStrategySticky
oauth.go AccessToken
steady.go GSSAPIConfig
electing.go ClusterAdmin.ElectLeaders
clusters.go ClusterAdmin.DescribeCluster
END
exec go build -mod=mod -buildvcs=false -o driver .
