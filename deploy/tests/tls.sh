#!/bin/bash
# The service has the certificate itself, on a port below 1024, and takes a renewed one without a restart.
. ./lib.sh

certificate() {
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$1" -addext subjectAltName=DNS:jobs.example.com \
        -keyout /etc/reprieve/key.pem -out /etc/reprieve/fullchain.pem 2>/dev/null
    chgrp reprieve /etc/reprieve/key.pem
    chmod 640 /etc/reprieve/key.pem
}
shows() {
    openssl s_client -connect 127.0.0.1:443 -servername jobs.example.com </dev/null 2>/dev/null |
        openssl x509 -noout -subject | grep --quiet "$1"
}
answers() {
    curl --silent --fail --cacert /etc/reprieve/fullchain.pem --resolve jobs.example.com:443:127.0.0.1 \
        https://jobs.example.com/readyz
}

certificate first
cp /etc/reprieve/reprieve.toml /tmp/plain.toml
cat >/etc/reprieve/reprieve.toml <<'TOML'
listen = "0.0.0.0:443"
data = "/var/lib/reprieve"
log = "json"
[tls]
cert_file = "/etc/reprieve/fullchain.pem"
key_file = "/etc/reprieve/key.pem"
[serve]
allowed_hosts = ["https://jobs.example.com"]
TOML
# As the unit says.
mkdir -p /etc/systemd/system/reprieve.service.d
cat >/etc/systemd/system/reprieve.service.d/override.conf <<'UNIT'
[Service]
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
UNIT
systemctl daemon-reload
systemctl restart reprieve
eventually answers

certificate second
systemctl reload reprieve
eventually shows second
answers

rm -r /etc/systemd/system/reprieve.service.d
rm /etc/reprieve/*.pem
cp /tmp/plain.toml /etc/reprieve/reprieve.toml
systemctl daemon-reload
systemctl restart reprieve
eventually is_ready
