"""Sends notices: `python worker.py [http://127.0.0.1:8080]`, with a token in REPRIEVE_TOKEN if the server wants one."""

import logging
import os
import sys

from reprieve_client import ActiveJob, Client, Fatal, Worker


def send_notice(job: ActiveJob) -> dict[str, int]:
    pages = job.payload.get("pages") if isinstance(job.payload, dict) else None
    if not isinstance(pages, int) or pages < 1:
        raise Fatal("the payload of a notice needs `pages`, a whole number from 1")
    for page in range(1, pages + 1):
        job.check()  # stops here if somebody cancelled the job
        print(f"{job.subject}: page {page} of {pages}", flush=True)
        job.stop_requested.wait(1)  # the work
    return {"pages": pages}  # kept as the job's result


logging.basicConfig(level=logging.INFO)
address = sys.argv[1] if sys.argv[1:] else "http://127.0.0.1:8080"
print(f"waiting for jobs of the queue mail at {address}", flush=True)
client = Client(address, os.environ.get("REPRIEVE_TOKEN"))
Worker(client, "mail", {"send_notice": send_notice}, concurrency=4).run()
