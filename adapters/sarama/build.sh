# The library's own files, with export/export.go added to its package, and what goes round them. A release
# with a file under versions/ is built from what that pins, any other from what Go's registry has.
set -e
library=github.com/IBM/sarama
case $1 in
1.[0-9].* | 1.[12][0-9].* | 1.3[0-9].*) released=github.com/Shopify/sarama ;; # before it was IBM's
*) released=$library ;;
esac
if [ -f "versions/$1.mod" ]; then
    cp "versions/$1.mod" go.mod
    cp "versions/$1.sum" go.sum
else
    go mod edit -require=$library@v1.22.0 -replace=$library=$released@v$1
    if ! go get $library; then
        echo "release $1 of sarama can not be fetched: there is none, or the registry is out of reach"
        exit 1
    fi
fi
go mod vendor
cp export/export.go vendor/$library/conformance_export.go
go build -mod=vendor -buildvcs=false -o testee .
[ -f "versions/$1.mod" ] || rm -r vendor # which takes much room, and only a pinned release is shown to be wrong
