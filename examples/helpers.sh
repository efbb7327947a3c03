# Shell functions of the walk-throughs; source it in the folder of an example: . ../helpers.sh

URL=${URL:-http://localhost:8090}
API=$URL/api/v1
PATH="$(cd ../.. && pwd)/build/release/bin:$PATH" # where ./run builds manybase

# Sends a request; prints the status, method and URL after the response.
json() { curl -sS -w '%{stderr}%{http_code} %{method} %{url_effective}\n' -H 'content-type: application/json' "$@"; }

# The same for files, whose content type the caller names.
bytes() { curl -sS -w '%{stderr}%{http_code} %{method} %{url_effective}\n' "$@"; }

# Takes a value out of a response, or prints the response if the value is missing.
pick() {
  local response value
  response=$(cat)
  value=$(printf '%s' "$response" | grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4)
  if [ -z "$value" ]; then echo "no $1 in the response: $response" >&2; return 1; fi
  echo "$value"
}
