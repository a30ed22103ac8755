#!/bin/bash
# A newer package keeps data and settings, removing keeps both, and purging takes them.
. ./lib.sh

pid() { systemctl show --property MainPID --value reprieve; }
job_is() { [ "$(api jobs/kept | jq --raw-output .state)" = "$1" ]; }

api jobs --json '{"id": "kept", "kind": "notice", "delay_ms": 3600000}'
echo '# a change of ours' >>/etc/reprieve/reprieve.toml
before=$(pid)

echo "-- upgrade"
apt-get install --quiet --quiet --yes /check/newer.deb
eventually is_ready
[ "$(dpkg-query --show --showformat '${Version}' reprieve)" = 999 ] || fail "it is not the newer version"
[ "$(pid)" != "$before" ] || fail "the old program runs on"
job_is delayed || fail "the job is gone"
grep --quiet 'a change of ours' /etc/reprieve/reprieve.toml || fail "the settings were replaced"

echo "-- killed"
kill -KILL "$(pid)"
eventually is_ready
job_is delayed || fail "the job is gone"

echo "-- a mistake in the settings"
echo 'lisen = "127.0.0.1:80"' | cat - /etc/reprieve/reprieve.toml >/tmp/wrong.toml
cp /etc/reprieve/reprieve.toml /tmp/right.toml
cp /tmp/wrong.toml /etc/reprieve/reprieve.toml
systemctl restart reprieve || true
eventually systemctl is-failed reprieve
[ "$(systemctl show --property NRestarts --value reprieve)" = 0 ] || fail "it is started again in vain"
cp /tmp/right.toml /etc/reprieve/reprieve.toml
systemctl restart reprieve
eventually is_ready

echo "-- no package without a Redis"
apt-get remove --simulate redis-server | grep --quiet 'Remv reprieve' || fail "it would stay without a Redis"

echo "-- remove"
apt-get remove --quiet --quiet --yes reprieve
if systemctl is-active reprieve; then fail "it runs without its package"; fi
if pgrep --uid reprieve; then fail "its processes stayed"; fi
[ -d /var/lib/reprieve/redis ] && [ -f /etc/reprieve/reprieve.toml ] || fail "data or settings are gone"

echo "-- once more"
apt-get install --quiet --quiet --yes /check/newer.deb
eventually is_ready
job_is delayed || fail "the job is gone"

echo "-- purge"
apt-get purge --quiet --quiet --yes reprieve
[ ! -e /var/lib/reprieve ] && [ ! -e /etc/reprieve ] || fail "data or settings stayed"
systemctl is-active redis-server || fail "Debian's Redis was stopped"
