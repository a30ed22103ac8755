"""RQ as its users run it: `python rq_peer.py <address of Redis> <order> <queue> …`. Answers with one JSON value a line."""

import json
import logging
import os
import sys
import threading
import time
from datetime import datetime, timedelta, timezone

from redis import Redis
from rq import Callback, Queue, Retry, SimpleWorker, get_current_job
from rq.registry import ScheduledJobRegistry
from rq.scheduler import RQScheduler

HOUR = int(os.environ.get("PEER_HOUR_S", "3600"))


def say(value):
    print(json.dumps(value), flush=True)


def welcome(*_args, **_named):
    say({"job": get_current_job().id})


def order_paid(*_args, **_named):
    say({"job": get_current_job().id})


def fails():
    raise ValueError("no route")


def add(queue, n):
    """Adds the nth job: at once, past, soon, in an hour, with whatever RQ knows of jobs."""
    now = datetime.now(timezone.utc)
    work = ["rq_peer.welcome", "rq_peer.order_paid"][n % 2]
    usual = {"args": (n, {"to": "ö@example.com"}), "job_id": f"{queue.name}-{n}"}
    in_an_hour = timedelta(seconds=HOUR)
    match n % 10:
        case 0:
            return queue.enqueue(work, **usual)
        case 1:
            return queue.enqueue_at(now - timedelta(seconds=5), work, **usual)
        case 2:
            return queue.enqueue_in(timedelta(seconds=2), work, **usual)
        case 3:
            return queue.enqueue_at((now + in_an_hour).replace(microsecond=999_999), work, **usual)
        case 4:
            # A time without zone is one of this machine.
            return queue.enqueue_at(datetime.now() + in_an_hour, work, **usual)
        case 5:
            return queue.enqueue_in(in_an_hour, work, retry=Retry(max=3, interval=[1, 2]), **usual)
        case 6:
            return queue.enqueue_in(in_an_hour, work, description="Mail to (Ann)", timeout=-1, **usual)
        case 7:
            return queue.enqueue_in(in_an_hour, work, ttl=2 * HOUR, failure_ttl=60, meta={"a": [1]}, **usual)
        case 8:
            return queue.enqueue(work, at_front=True, ttl=2 * HOUR, **usual)
        case _:
            return queue.enqueue_in(in_an_hour, work, kwargs={"text": "x" * 9_000}, **usual)


def fill(connection, name, first, count):
    queue = Queue(name, connection=connection)
    for n in range(int(first), int(first) + int(count)):
        job = add(queue, n)
        score = connection.zscore(f"rq:scheduled:{name}", job.id)
        say({"job": job.id, "due": None if score is None else int(score * 1_000)})


def keep(connection, name):
    """Adds what only RQ can go on with."""
    queue = Queue(name, connection=connection)
    later = timedelta(seconds=HOUR)
    first = queue.enqueue_in(later, "rq_peer.welcome")
    queue.enqueue("rq_peer.welcome", depends_on=first)
    queue.enqueue_in(later, "rq_peer.welcome", on_success=Callback("rq_peer.welcome"))


def fail(connection, name):
    """Has a job fail for good."""
    queue = Queue(name, connection=connection)
    queue.enqueue("rq_peer.fails", job_id="dead0000", failure_ttl=HOUR)
    SimpleWorker([queue], connection=connection).work(burst=True)


def promote(connection, name):
    """Makes everything due that waits for its time."""
    registry = ScheduledJobRegistry(queue=Queue(name, connection=connection))
    for job_id in registry.get_job_ids():
        connection.zadd(registry.key, {job_id: int(time.time())}, xx=True)


def work(connection, *names):
    """Works until it is killed, and says the id of each job it has done."""
    # RQ logs to where this answers, unless somebody else does.
    logging.basicConfig(stream=sys.stderr)
    scheduler = RQScheduler(names, connection=connection, interval=1, logging_level=logging.WARNING)
    scheduler.acquire_locks()

    def move():
        while True:
            scheduler.enqueue_scheduled_jobs()
            scheduler.heartbeat()
            time.sleep(1)

    # RQ runs it in a process of its own, which would outlive one that is killed.
    threading.Thread(target=move, daemon=True).start()
    say("ready")
    SimpleWorker([Queue(name, connection=connection) for name in names], connection=connection).work()


if __name__ == "__main__":
    address, order, *words = sys.argv[1:]
    orders = {"fill": fill, "keep": keep, "fail": fail, "promote": promote, "work": work}
    orders[order](Redis.from_url(address), *words)
