#!/bin/bash
# The package is installed: the service runs as a user of its own, and beside Debian's Redis.
. ./lib.sh

dpkg --info /check/reprieve.deb
apt-get install --quiet --quiet --yes /check/reprieve.deb
eventually is_ready

[ "$(systemctl is-enabled reprieve)" = enabled ] || fail "the service would not start with the machine"
systemctl is-active redis-server || fail "Debian's Redis was stopped"
[ "$(stat --format '%U:%G %a' /var/lib/reprieve)" = "reprieve:reprieve 700" ] || fail "others may read the data"
systemd-analyze verify --man=no /usr/lib/systemd/system/reprieve.service
# 0 is sealed, 100 is open.
systemd-analyze security --threshold=20 --no-pager reprieve | tail -1

# The program, what guards it and its Redis: one tree, and all of one user.
group=$(systemctl show --property ControlGroup --value reprieve)
ps -o user=,args= --pid "$(paste --serial --delimiters , "/sys/fs/cgroup/systemd$group/cgroup.procs" 2>/dev/null ||
    paste --serial --delimiters , "/sys/fs/cgroup$group/cgroup.procs")" | tee /tmp/processes
grep --quiet redis-server /tmp/processes || fail "there is no embedded Redis"
if grep --invert-match '^reprieve' /tmp/processes; then fail "a process runs as somebody else"; fi

[ -s /usr/share/man/man1/reprieve.1.gz ] && [ -s /usr/share/man/man1/reprieve-serve.1.gz ] || fail "no manual pages"
[ -s /usr/share/doc/reprieve/examples/proxies/nginx.conf ] || fail "no samples"
[ -s /usr/share/doc/reprieve/docs/how-to/audit.md ] || fail "the README leads nowhere"
bash -c '. /usr/share/bash-completion/completions/reprieve && complete -p reprieve' || fail "no completions"

reprieve_cli people add ann --role admin
reprieve_cli token add shop --may view --may jobs.enqueue --may metrics.view --json | jq --raw-output .token >/run/check-token
