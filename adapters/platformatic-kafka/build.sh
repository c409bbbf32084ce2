# What a lock file pins, or any other release: with a Node.js, and with avsc, which some need and don't name.
if [ -d "versions/$1" ]
then cp "versions/$1"/*.json . && npm ci --no-audit --no-fund
else npm install --no-audit --no-fund --loglevel=error "@platformatic/kafka@$1" node@22.23.3 avsc@5.7.9
fi
