#!/bin/bash
# What `cargo xtask dist --check` runs as root in a machine of its own, with the packages in /check.
set -euo pipefail
cd "$(dirname "$0")"
# A machine without a network has no names either.
echo "127.0.0.1 localhost $(hostname)" >/etc/hosts
for part in install tls compose proxies monitoring upgrade archive; do
    echo "== $part"
    "./$part.sh"
done
