# What the lock file pins, or any other release.
if grep -q "\"kafkajs\": \"$1\"" package.json
then npm ci --no-audit --no-fund
else npm install --no-audit --no-fund --loglevel=error --save-exact "kafkajs@$1"
fi
