# A release with a file under versions/ is built from what that pins, any other from what Go's registry has.
set -e
if [ -f "versions/$1.mod" ]; then
    cp "versions/$1.mod" go.mod
    cp "versions/$1.sum" go.sum
elif ! go get "github.com/twmb/franz-go/pkg/kbin@v$1"; then
    echo "release $1 of franz-go can not be fetched: there is none, or the registry is out of reach"
    exit 1
fi
go build -mod=readonly -buildvcs=false -o testee .
