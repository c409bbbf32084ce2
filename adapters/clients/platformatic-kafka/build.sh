# Installs a release: with what its lock file pins, or else with what npm finds for it.
set -eu
if test -d "versions/$1"; then
    cp "versions/$1/package.json" "versions/$1/package-lock.json" .
    exec npm ci --no-audit --no-fund
fi
cp versions/2.12.1/package.json .
case $1 in
1.*) beside=avsc@5.7.9 ;; # some of them import it, and do not say so
*) beside= ;;
esac
exec npm install --save-exact --no-audit --no-fund "@platformatic/kafka@$1" $beside
