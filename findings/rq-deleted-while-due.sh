#!/bin/sh
# RQ 3.0.0: a scheduled job that is cancelled or deleted in the moment it comes due runs all the same.
#
# The scheduler reads the ids that are due, then their jobs, and writes the jobs and their ids into the queue in a third call.
# What has happened to a job in between is overwritten: one that was deleted is there again, whole, and queued; one that was
# cancelled is queued again. An importer that took such a job over would run it a second time, so Reprieve leaves what is due to
# the scheduler while one runs.
#
# Deletes a job, and cancels another, between the second call and the third. Seen:
#   deleted: in the queue True, status JobStatus.QUEUED
#   cancelled: in the queue True, status JobStatus.QUEUED
# Exits with 1 if that changes. Needs redis-server, and Python with venv.
set -eu

folder="$(mktemp -d)"
trap 'kill "$(cat "$folder/redis.pid" 2>/dev/null)" 2>/dev/null || true; rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check rq==3.0.0 redis==5.3.1
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" --daemonize yes \
  --pidfile "$folder/redis.pid" > "$folder/log"
while ! [ -S "$folder/redis.sock" ]; do sleep 0.1; done

cat > "$folder/scheduled.py" <<'PYTHON'
import logging
import sys
from datetime import datetime, timedelta, timezone

from redis import Redis
from rq import Queue
from rq.job import Job
from rq.scheduler import RQScheduler

connection = Redis(unix_socket_path=sys.argv[1])
queue = Queue("q", connection=connection)
due = datetime.now(timezone.utc) - timedelta(seconds=1)
for name in ("deleted", "cancelled"):
    queue.enqueue_at(due, "print", name, job_id=name)

fetch_many = Job.fetch_many


def fetch_then_change(ids, **named):
    jobs = fetch_many(ids, **named)
    Job.fetch("deleted", connection=connection).delete()
    Job.fetch("cancelled", connection=connection).cancel()
    return jobs


Job.fetch_many = fetch_then_change
scheduler = RQScheduler([queue], connection=connection, logging_level=logging.WARNING)
scheduler.acquire_locks()
scheduler.enqueue_scheduled_jobs()
for name in ("deleted", "cancelled"):
    print(f"{name}: in the queue {name in queue.job_ids}, status {Job.fetch(name, connection=connection).get_status()}")
PYTHON

seen="$("$folder/python/bin/python" "$folder/scheduled.py" "$folder/redis.sock")"
printf '%s\n' "$seen"
expected='deleted: in the queue True, status JobStatus.QUEUED
cancelled: in the queue True, status JobStatus.QUEUED'
[ "$seen" = "$expected" ] || { echo 'this has changed' >&2; exit 1; }
