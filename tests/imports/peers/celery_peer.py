"""Celery as its users run it: `python celery_peer.py <address of Redis> <order> <queue> …`. Answers with one JSON value a line."""

import json
import os
import sys
import threading
from datetime import datetime, timedelta, timezone
from math import ceil
from zoneinfo import ZoneInfo

from celery import Celery, chain

HOUR = int(os.environ.get("PEER_HOUR_S", "3600"))
# It refuses pickled tasks otherwise, where tests run as root.
os.environ.setdefault("C_FORCE_ROOT", "1")

app = Celery("celery_peer", broker=os.environ.get("PEER_BROKER"))
app.conf.worker_redirect_stdouts = False
app.conf.worker_hijack_root_logger = False
app.conf.broker_transport_options = {"sep": "\x06\x16"}


# Tasks run in threads.
SAYING = threading.Lock()


def say(value):
    with SAYING:
        print(json.dumps(value), flush=True)


@app.task(bind=True)
def welcome(self, *_args, **_named):
    say({"job": self.request.id})


@app.task(bind=True)
def order_paid(self, *_args, **_named):
    say({"job": self.request.id})


def add(n, queue):
    """Adds the nth task: at once, past, soon, in an hour, with whatever Celery knows of tasks. Returns when it is due."""
    now = datetime.now(timezone.utc)
    task = [welcome, order_paid][n % 2]
    eta, options, words = None, {}, ((n,), {"to": "ö@example.com"})
    match n % 10:
        case 0:
            pass
        case 1:
            eta = now - timedelta(seconds=2)
        case 2:
            eta = now + timedelta(seconds=1.5)
        case 4:
            options = {"priority": n % 10}
        case 5:
            eta = (now + timedelta(seconds=HOUR)).astimezone(ZoneInfo("America/New_York"))
        case 6:
            eta = now + timedelta(seconds=HOUR)
            options = {"expires": eta + timedelta(seconds=60)}
        case 7:
            eta = now + timedelta(seconds=HOUR)
            options = {"serializer": "pickle", "compression": "zlib", "time_limit": 60, "soft_time_limit": 30}
        case 8:
            options = {"priority": 9, "retries": 2}
        case _:
            eta = now + timedelta(seconds=HOUR)
    task.apply_async(*words, eta=eta, queue=queue, task_id=f"{queue}-{n}", **options)
    return None if eta is None else ceil(round(eta.timestamp() * 1_000, 3))


def fill(queue, first, count):
    for n in range(int(first), int(first) + int(count)):
        say({"job": f"{queue}-{n}", "due": add(n, queue)})


def keep(queue):
    """Adds what only Celery can go on with."""
    later = {"countdown": HOUR}
    chain(welcome.si().set(queue=queue), order_paid.si().set(queue=queue)).apply_async(**later)
    welcome.apply_async(queue=queue, link=order_paid.si().set(queue=queue), **later)


def expire(queue):
    """Adds a task that may start at once and not after an hour."""
    welcome.apply_async(queue=queue, expires=HOUR)


def promote(queue):
    """Sends everything anew that waits for its time, due at once, as one would by hand."""
    with app.connection_for_write() as connection:
        client = connection.default_channel.client
        for key in [queue, *(f"{queue}\x06\x16{priority}" for priority in (3, 6, 9))]:
            for index, message in enumerate(client.lrange(key, 0, -1)):
                envelope = json.loads(message)
                if envelope["headers"]["eta"]:
                    envelope["headers"]["eta"] = datetime.now(timezone.utc).isoformat()
                    client.lset(key, index, json.dumps(envelope))


def work(*queues):
    """Works until it is killed, and says the id of each task it has done."""
    from celery.signals import worker_ready

    worker_ready.connect(lambda **_: say("ready"), weak=False)
    app.conf.accept_content = ["json", "pickle"]
    app.worker_main(["worker", "-Q", ",".join(queues), "--pool=threads", "--concurrency=4", "--loglevel=ERROR", "--without-mingle"])


if __name__ == "__main__":
    address, order, *words = sys.argv[1:]
    broker = "redis+socket://" + address.removeprefix("unix://")
    app.conf.broker_url = broker
    # Tasks have the name of their module.
    sys.modules["celery_peer"] = sys.modules["__main__"]
    {"fill": fill, "keep": keep, "expire": expire, "promote": promote, "work": work}[order](*words)
