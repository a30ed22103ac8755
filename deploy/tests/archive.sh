#!/bin/bash
# The archive, installed by hand: the program, its service and its settings go where the unit expects them.
. ./lib.sh

mkdir /tmp/archive
tar --extract --file /check/reprieve.tar.gz --directory /tmp/archive --strip-components=1
cd /tmp/archive
./reprieve --version
for file in man/reprieve.1 completions/_reprieve LICENSE-MIT LICENSE-APACHE THIRD-PARTY.txt deploy/docker/Dockerfile; do
    [ -s $file ] || fail "the archive has no $file"
done

install -m 755 reprieve /usr/bin/reprieve
install -m 644 -D deploy/reprieve.toml /etc/reprieve/reprieve.toml
install -m 644 deploy/systemd/reprieve.service /etc/systemd/system/reprieve.service
id reprieve || useradd --system --home-dir /var/lib/reprieve --shell /usr/sbin/nologin reprieve
systemctl daemon-reload
systemctl enable --now reprieve
eventually is_ready
reprieve_cli doctor
