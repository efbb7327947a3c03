#!/bin/sh
# Part of ./test: the catalogue example with some of the data, on a server of its own. Its last line is "N passed, N failed".
set -eu
here=$(cd "$(dirname "$0")" && pwd)
server=${MB_SERVER:-$here/../../build/release/bin/manybase}
limit=${1:-3000}
folder=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
SERVICE_LISTEN=127.0.0.1:$port SERVICE_DATA_DIR=$folder/data "$server" serve >"$folder/log" 2>&1 &
pid=$!
trap 'kill $pid 2>/dev/null || true; wait $pid 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 100); do
  curl -fs "http://127.0.0.1:$port/api/v1/ready" >/dev/null 2>&1 && break
  sleep 0.1
done
if [ "$limit" = all ]; then set --; else set -- --limit "$limit"; fi
if python3 "$here/catalogue.py" --url "http://127.0.0.1:$port" "$@"; then
  echo "1 passed, 0 failed"
else
  tail -n 20 "$folder/log"
  echo "0 passed, 1 failed"
  exit 1
fi
