"""arq as its users run it: `python arq_peer.py <address of Redis> <order> <queue> …`. Answers with one JSON value a line."""

import asyncio
import json
import os
import sys
import time
from datetime import datetime, timedelta, timezone

from arq import Retry, create_pool, cron
from arq.connections import RedisSettings
from arq.worker import Worker, func

HOUR = int(os.environ.get("PEER_HOUR_S", "3600"))


def say(value):
    print(json.dumps(value), flush=True)


def here(job_id):
    """An id as Reprieve writes it."""
    return job_id.replace(" ", "@20").replace("ö", "@C3@B6")


async def welcome(ctx, *_args, **named):
    # What is tried again waits as arq has it wait.
    if named.get("fails") and ctx["job_try"] == 1:
        raise Retry(defer=HOUR)
    say({"job": here(ctx["job_id"])})


async def order_paid(ctx, *_args, **_named):
    say({"job": here(ctx["job_id"])})


def settings(address):
    return RedisSettings(unix_socket_path=address.removeprefix("unix://"))


def job(n, queue):
    """The nth job: at once, past, soon, in an hour, with whatever arq knows of jobs."""
    now = datetime.now(timezone.utc)
    work = ["welcome", "order_paid"][n % 2]
    usual = {"_job_id": f"{queue}-{n}", "_queue_name": queue}
    match n % 10:
        case 0 | 8:
            return (work, n), usual
        case 1:
            return (work, n, b"\x00\xff"), {**usual, "_defer_until": now - timedelta(seconds=3)}
        case 2:
            return (work, n, "ö@example.com"), {**usual, "_defer_by": 1.5}
        case 4:
            return (work, n), {**usual, "_defer_by": HOUR, "_expires": 2 * HOUR, "_job_try": 3}
        case 5:
            return (work, n), {**usual, "_defer_until": now + timedelta(seconds=HOUR, microseconds=1_999)}
        case 6:
            return (work,), {**usual, "_defer_by": HOUR, "text": "x" * 9_000, "_job_id": f"{queue} {n}/ö"}
        case _:
            return (work, n), {**usual, "_defer_by": timedelta(seconds=HOUR), "at": now}


async def fill(redis, queue, first, count):
    for n in range(int(first), int(first) + int(count)):
        words, options = job(n, queue)
        added = await redis.enqueue_job(*words, **options)
        due = int(await redis.zscore(queue, added.job_id))
        say({"job": here(added.job_id), "due": due})


async def keep(redis, queue):
    """Adds what only arq can go on with: a job of a cron."""
    await redis.enqueue_job("cron:nightly", _defer_by=HOUR, _queue_name=queue, _job_id="cron:nightly:1")


async def abort(redis, queue):
    """Aborts a job while it waits, as `Job.abort` does."""
    aborted = await redis.enqueue_job("welcome", _defer_by=HOUR, _queue_name=queue, _job_id="aborted")
    await redis.zadd(queue, {aborted.job_id: 1})
    await redis.zadd("arq:abort", {aborted.job_id: int(time.time() * 1_000)})


async def retry(redis, queue):
    """Has a job fail once, which waits for its second try."""
    await redis.enqueue_job("welcome", fails=True, _queue_name=queue, _job_id="retried")
    functions = [func(welcome)]
    worker = Worker(functions, queue_name=queue, redis_pool=redis, burst=True, max_burst_jobs=1, handle_signals=False)
    await worker.main()


async def promote(redis, queue):
    """Makes everything due that waits for its time."""
    for job_id in await redis.zrange(queue, 0, -1):
        await redis.zadd(queue, {job_id: int(time.time() * 1_000)}, xx=True)


async def work(redis, *queues):
    """Works until it is killed, and says the id of each job it has done."""

    def worker(queue):
        nightly = cron(order_paid, name="cron:nightly", month=1, day=1, hour=4)
        functions = [func(welcome, max_tries=10), func(order_paid, max_tries=10)]
        return Worker(
            functions, queue_name=queue, redis_pool=redis, cron_jobs=[nightly], poll_delay=0.1, handle_signals=False
        )

    say("ready")
    await asyncio.gather(*(worker(queue).main() for queue in queues))


async def main(address, order, *words):
    orders = {"fill": fill, "keep": keep, "abort": abort, "retry": retry, "promote": promote, "work": work}
    await orders[order](await create_pool(settings(address)), *words)


asyncio.run(main(*sys.argv[1:]))
