# Builds the driver around a release: with what versions/ pins, or else with what that release asks for at least.
set -eu
case $1 in 0.* | 1.[0-9].* | 1.1* | 1.20.*) rm share.go ;; esac # before there were share groups
if test -f "versions/$1.mod"; then
    exec go build -mod=readonly "-modfile=versions/$1.mod" -buildvcs=false -o driver .
fi
go mod edit "-require=github.com/twmb/franz-go@v$1"
go mod download "github.com/twmb/franz-go@v$1" # go doc knows no other
case $1 in
0.[6-9].*) # before the calls that are used here
    cp old/committing.go .
    sed -i 's/kgo.RetryTimeout(retryTimeout)/kgo.RetryTimeout(func(int16) time.Duration { return retryTimeout })/' main.go
    ;;
esac
case $1 in
0.6.*) # before an application was given its group as a setting
    rm ./*.go
    cp old/*.go .
    sed -i 's/(_ \*kgo.Client, /(/' committing.go
    ;;
esac
if ! GOFLAGS=-mod=mod go doc github.com/twmb/franz-go/pkg/kgo.RequestTimeoutOverhead > /dev/null; then # as it was named until 1.0
    sed -i 's/RequestTimeoutOverhead/ConnTimeoutOverhead/; s/RecordDeliveryTimeout/RecordTimeout/; s/ProducerBatchCompression/BatchCompression/; s/ProducerLinger/Linger/' ./*.go
fi
if ! GOFLAGS=-mod=mod go doc github.com/twmb/franz-go/pkg/kgo.WithContext > /dev/null; then # before the new group protocol
    rm -f member.go
fi
if ! GOFLAGS=-mod=mod go doc github.com/twmb/franz-go/pkg/kgo.Client.PauseFetchPartitions > /dev/null; then # before a pause
    rm -f pausing.go positions.go
fi
if ! GOFLAGS=-mod=mod go doc github.com/twmb/franz-go/pkg/kversion.FromString > /dev/null; then # before it was there
    rm -f release.go
fi
if ! GOFLAGS=-mod=mod go doc github.com/twmb/franz-go/pkg/kgo.RetryBackoffFn > /dev/null; then # as it is named since 1.0
    rm -f twice.go
fi
if ! GOFLAGS=-mod=mod go doc github.com/twmb/franz-go/pkg/kgo.Client.PurgeTopicsFromClient > /dev/null; then
    rm -f changing.go
fi
if ! GOFLAGS=-mod=mod go doc github.com/twmb/franz-go/pkg/kgo.Client.AddConsumePartitions > /dev/null; then
    rm -f widening.go
fi
exec go build -mod=mod -buildvcs=false -o driver .
