# Installs a release: with what the lock file pins, or else with what npm finds for it.
set -eu
if grep -q "\"kafkajs\": \"$1\"" package.json; then
    exec npm ci --no-audit --no-fund
fi
rm package-lock.json
exec npm install --save-exact --no-audit --no-fund "kafkajs@$1"
