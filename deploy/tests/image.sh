#!/bin/bash
# The image of deploy/docker is built of a package and run, with its own Redis and with another. As root:
#   deploy/tests/image.sh FOLDER SUITE    FOLDER/context has the package, FOLDER keeps the images; SUITE is Debian's
set -euo pipefail

folder=$1 suite=$2
docker=$(dirname "$0")/../docker
podman="podman --root $folder/images --runroot $folder/images-running --cgroup-manager cgroupfs --runtime runc"

fail() {
    echo "failed: $*" >&2
    exit 1
}

# What is left of the containers, and what they said.
clean() {
    local status=$?
    for name in embedded served redis; do
        [ $status = 0 ] || $podman logs $name 2>&1 | tail -20 || true
        $podman rm --force --time 0 $name >/dev/null 2>&1 || true
    done
}
trap clean EXIT

eventually() {
    for _ in $(seq 100); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.2
    done
    fail "after 20 s still not: $*"
}

# As the compose files and Kubernetes run it, on a machine that may have no systemd to time the health check, and few
# rights to give.
run() {
    $podman run --detach --no-healthcheck --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 \
        --read-only --cap-drop ALL --security-opt no-new-privileges "$@"
}
in_container() { $podman exec "$@"; }
# The command of HEALTHCHECK.
is_healthy() { in_container "$1" $(jq --raw-output '.[0].Healthcheck.Test[1:] | join(" ")' "$folder/image.json"); }
answers() { [ "$(in_container "$1" curl --silent --output /dev/null --write-out '%{http_code}' "http://127.0.0.1:8080$2")" = "$3" ]; }

[ -s "$folder/base.tar" ] || mmdebstrap --quiet --variant=minbase "$suite" "$folder/base.tar"
$podman import --quiet "$folder/base.tar" localhost/base >/dev/null
$podman build --quiet --isolation chroot --format docker --build-arg BASE=localhost/base \
    --file "$docker/Dockerfile" --tag reprieve "$folder/context"
$podman image inspect reprieve >"$folder/image.json"
jq --raw-output '.[0] | "\(.Config.User) \(.Size / 1000000 | floor) MB"' "$folder/image.json"

echo "-- with the embedded Redis"
$podman volume rm --force reprieve-data >/dev/null
run --name embedded --network none --volume reprieve-data:/var/lib/reprieve --tmpfs /tmp reprieve
eventually is_healthy embedded
eventually answers embedded /readyz 200
in_container embedded reprieve people add ann --role admin
in_container embedded reprieve enqueue notice --id kept --in 1h
$podman stop --time 60 embedded
[ "$($podman inspect embedded --format '{{.State.ExitCode}}')" = 0 ] || fail "it did not stop in order"
$podman rm embedded >/dev/null
run --name embedded --network none --volume reprieve-data:/var/lib/reprieve --tmpfs /tmp reprieve
eventually answers embedded /readyz 200
in_container embedded reprieve job kept --json | grep --quiet '"delayed"' || fail "the job is gone with its container"

echo "-- on a volume of Kubernetes"
$podman rm --force --time 60 embedded >/dev/null
rm -rf "$folder/volume"
install --directory --owner 0 --group 999 --mode 2775 "$folder/volume"
run --name embedded --network none --volume "$folder/volume:/var/lib/reprieve" --tmpfs /tmp \
    --env REPRIEVE_DATA=/var/lib/reprieve/data reprieve
eventually answers embedded /readyz 200

echo "-- with another Redis"
printf 'redis://:secret@127.0.0.1:6379/0' >"$folder/redis-url"
# The settings of the ConfigMap.
sed --quiet '/reprieve.toml: |/,/^---/ s/^    //p' "$(dirname "$0")/../kubernetes/reprieve.yaml" >"$folder/reprieve.toml"
chmod 644 "$folder/redis-url" "$folder/reprieve.toml"
run --name redis --network none --tmpfs /data --workdir /data --entrypoint redis-server reprieve --requirepass secret
run --name served --network container:redis --volume "$folder/redis-url:/run/secrets/reprieve/redis-url:ro" \
    --volume "$folder/reprieve.toml:/etc/reprieve/reprieve.toml:ro" reprieve
eventually answers served /readyz 200
in_container served reprieve people add ann --role admin
in_container redis redis-cli -a secret --no-auth-warning CONFIG SET requirepass other
in_container redis redis-cli -a other --no-auth-warning CLIENT KILL TYPE normal SKIPME yes
eventually answers served /readyz 503
is_healthy served || fail "it would be restarted because Redis is away"
in_container redis redis-cli -a other --no-auth-warning CONFIG SET requirepass secret
eventually answers served /readyz 200
$podman stop --time 60 served
