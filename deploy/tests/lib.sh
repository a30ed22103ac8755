# What the parts of the check share.
set -euo pipefail

fail() {
    echo "failed: $*" >&2
    exit 1
}

# Says what failed, and what the services said.
tell() {
    local status=$?
    [ $status != 0 ] || return 0
    echo "$0 failed with $status"
    journalctl --lines 60 --no-pager
}
trap tell EXIT

# Waits until a command succeeds.
eventually() {
    for _ in $(seq 100); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.2
    done
    fail "after 20 s still not: $*"
}

is_ready() { curl --silent --fail --max-time 5 http://127.0.0.1:8080/readyz; }

# The command line, as the documents have it.
reprieve_cli() { runuser -u reprieve -- reprieve "$@"; }

# One call of the HTTP API: path, then arguments for curl.
api() {
    curl --silent --show-error --fail-with-body --max-time 10 --header "Authorization: Bearer $(cat /run/check-token)" \
        "http://127.0.0.1:8080/api/v1/$1" "${@:2}"
}
