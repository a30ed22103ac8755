#!/bin/bash
# Prometheus takes the sample configuration, scrapes the service, and has what alerts and dashboard ask for.
. ./lib.sh

promtool test rules alerts.yml

cp /deploy/prometheus/*.yml /etc/prometheus/
cp /run/check-token /etc/prometheus/reprieve-token
promtool check config /etc/prometheus/prometheus.yml
# Rates need several scrapes.
sed --in-place 's/scrape_interval: 15s/scrape_interval: 1s/' /etc/prometheus/prometheus.yml
systemctl start prometheus

# The answer of Prometheus to an expression: the first value, or nothing.
ask() {
    curl --silent --show-error --get http://127.0.0.1:9090/api/v1/query --data-urlencode "query=$1" |
        jq --raw-output 'if .status == "success" then .data.result[0].value[1] // "" else error(.error) end'
}
asks() { [ -n "$(ask "$1")" ]; }
is_scraped() { [ "$(ask 'up{job="reprieve"}')" = 1 ]; }

eventually is_scraped
api jobs --json '{"kind": "notice"}'
sleep 5 # So many scrapes.
[ "$(ask 'max(reprieve_jobs{state="ready"})')" = 1 ] || fail "the job is not counted"

# Names in alerts that nobody exposes would never raise one.
curl --silent --header "Authorization: Bearer $(cat /run/check-token)" http://127.0.0.1:8080/metrics >/tmp/metrics
for name in $(grep --only-matching --no-filename 'reprieve_[a-z_]*' /deploy/prometheus/reprieve.rules.yml | sort --unique); do
    grep --quiet "^$name[ {]" /tmp/metrics || fail "there is no metric $name"
done

jq --raw-output '.panels[].targets[].expr' /deploy/grafana/reprieve.json |
    sed 's/\$__rate_interval/30s/g; s/\$job/.*/g; s/\$queue/.*/g' >/tmp/expressions
while read -r expression; do
    asks "$expression" || fail "the dashboard would show nothing for $expression"
done </tmp/expressions
echo "$(wc --lines </tmp/expressions) expressions of the dashboard have an answer"
[ "$(curl --silent http://127.0.0.1:9090/api/v1/rules | jq '.data.groups[0].rules | length')" = \
    "$(grep --count 'alert:' /deploy/prometheus/reprieve.rules.yml)" ] || fail "not all alerts are loaded"
systemctl stop prometheus
