"""Does the jobs that Reprieve pushes on a list, and reports on the reply list how each went."""
import json, os
import redis

def work(job):
    """Your work. Whatever it raises is tried again later; a job that nobody reports on is, too."""
    order = json.loads(job["payload"])
    if order.get("fails", 0) >= job["attempt"]:
        raise RuntimeError("the mail server said no")
    print("done:", job["kind"], job["id"], flush=True)

server = redis.Redis.from_url(os.environ["REDIS_URL"], decode_responses=True)
while True:
    taken = server.brpop(os.environ.get("LIST", "orders"), timeout=2)
    if taken is None:
        continue
    job = json.loads(taken[1])
    report = {"id": job["id"], "token": job["token"], "attempt": job["attempt"], "outcome": "done"}
    try:
        work(job)
    except Exception as error:
        report |= {"outcome": "retry", "error": str(error)}
    server.rpush(job["reply"], json.dumps(report))
