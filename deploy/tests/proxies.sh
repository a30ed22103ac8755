#!/bin/bash
# Each sample runs in front of the service, as a person's browser and a program see it.
. ./lib.sh

origin=https://jobs.example.com
site=$origin
# The client has another address than the proxy, and claims a third one.
through() {
    curl --silent --show-error --max-time 10 --interface "$visitor" --cacert /tmp/ca.pem \
        --resolve jobs.example.com:443:127.0.0.1 --resolve jobs.example.com:80:127.0.0.1 \
        --header 'X-Forwarded-For: 203.0.113.7' "$@"
}
with_token() { through --header "Authorization: Bearer $(cat /run/check-token)" "$@"; }
status() { with_token --output /tmp/answer --write-out '%{http_code}' "$@"; }

certificate() {
    local folder=/etc/ssl/jobs.example.com
    mkdir -p $folder
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=jobs.example.com \
        -addext subjectAltName=DNS:jobs.example.com -keyout $folder/key.pem -out $folder/fullchain.pem 2>/dev/null
    cat $folder/fullchain.pem $folder/key.pem >$folder/haproxy.pem
    cp $folder/fullchain.pem /tmp/ca.pem
    cp $folder/fullchain.pem /tmp/nginx-ca.pem
}

# Who showed the last wrong password.
refused_visitor_was() {
    journalctl --unit reprieve --output cat | jq --raw-input --raw-output \
        'fromjson? | select(.["person.name"] == "ann").address' | tail -1 | grep --quiet --fixed-strings "$1"
}

stream_says() { grep --quiet "$1" /tmp/stream; }

# What every proxy must pass on.
check() {
    local proxy=$1 visitor=$2
    eventually through --fail $site/healthz
    [ "$(through --output /dev/null --write-out '%{http_code} %{redirect_url}' http://jobs.example.com/jobs)" \
        = "301 $origin/jobs" ] || [ "$proxy" = caddy ] || fail "http is not sent to https"

    # Forms are taken from our own pages only, so the name and the scheme must be right.
    local form=(--output /dev/null --write-out '%{http_code}' --data 'name=ann&password=wrong' $site/login)
    [ "$(through --header "Origin: $origin" "${form[@]}")" = 303 ] || fail "the page's own form was refused"
    [ "$(through --header 'Origin: https://evil.example' "${form[@]}")" = 403 ] || fail "a foreign form was taken"
    eventually refused_visitor_was "$visitor"

    # A job with a slash in its name, found by that name.
    local id="notice/$proxy"
    [ "$(status $site/api/v1/jobs --json "{\"id\": \"$id\", \"kind\": \"notice\", \"delay_ms\": 3600000}")" = 201 ] ||
        fail "a job was not taken: $(cat /tmp/answer)"
    [ "$(status "$site/api/v1/jobs/notice%2F$proxy")" = 200 ] || fail "%2F was not passed on: $(cat /tmp/answer)"
    # Seven million bytes, which the program refuses by itself and knows how to read.
    head --bytes 7000000 /dev/zero | tr '\0' ' ' | sed 's/^/[/' >/tmp/many
    [ "$(status $site/api/v1/jobs --header 'content-type: application/json' --data-binary @/tmp/many)" = 400 ] ||
        fail "a long body did not come through: $(head --bytes 300 /tmp/answer)"

    # Live updates come while the answer goes on, and also after it has been silent.
    : >/tmp/stream
    with_token --no-buffer --max-time 30 $site/events >/tmp/stream 2>/dev/null &
    local stream=$!
    eventually stream_says 'event: hello'
    status $site/api/v1/jobs --json "{\"id\": \"seen/$proxy\", \"kind\": \"notice\", \"delay_ms\": 3600000}" >/dev/null
    eventually stream_says "seen/$proxy"
    kill $stream
    wait $stream || true
}

certificate
cat >>/etc/reprieve/reprieve.toml <<'TOML'
[serve]
allowed_hosts = ["https://jobs.example.com"]
trusted_proxies = ["127.0.0.1"]
TOML
systemctl restart reprieve
eventually is_ready

echo "-- nginx"
cp /deploy/proxies/nginx.conf /etc/nginx/conf.d/reprieve.conf
systemctl start nginx
check nginx 127.0.0.11
systemctl stop nginx

echo "-- haproxy"
cat /deploy/proxies/haproxy.cfg >>/etc/haproxy/haproxy.cfg
systemctl start haproxy
check haproxy 127.0.0.12
systemctl stop haproxy

echo "-- apache"
cp /deploy/proxies/apache.conf /etc/apache2/sites-available/reprieve.conf
a2enmod --quiet ssl proxy_http
a2ensite --quiet reprieve
systemctl start apache2
check apache 127.0.0.13
systemctl stop apache2

echo "-- caddy"
# Its authority cannot be asked here.
{ printf '{\n\tlocal_certs\n\tskip_install_trust\n}\n'; cat /deploy/proxies/Caddyfile; } >/etc/caddy/Caddyfile
systemctl start caddy
root=/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt
eventually test -s $root
cp $root /tmp/ca.pem
check caddy 127.0.0.14
systemctl stop caddy

echo "-- nginx, below a path"
cp /tmp/nginx-ca.pem /tmp/ca.pem
echo 'base_path = "/jobs"' >>/etc/reprieve/reprieve.toml
systemctl restart reprieve
eventually is_ready
sed --in-place 's,location / ,location /jobs ,' /etc/nginx/conf.d/reprieve.conf
systemctl start nginx
site=$origin/jobs
check below 127.0.0.15
systemctl stop nginx
# What comes next expects it at the root.
sed --in-place '/^base_path/d' /etc/reprieve/reprieve.toml
systemctl restart reprieve
eventually is_ready
