"""Does the jobs that Reprieve puts into a stream: at least once, with retries, each step visible on the job's page."""
import json, os, socket, time
import redis

def work(job):
    """Your work. Whatever it raises is tried again later; a job whose consumer dies is, too."""
    order = json.loads(job["payload"])
    time.sleep(order.get("takes_s", 0))
    if order.get("fails", 0) >= int(job["attempt"]):
        raise RuntimeError("the mail server said no")
    print("done:", job["kind"], job["id"], flush=True)

server = redis.Redis.from_url(os.environ["REDIS_URL"], decode_responses=True)
stream, group = os.environ.get("STREAM", "orders"), "workers"
me = f"{socket.gethostname()}-{os.getpid()}"
while True:
    for _, entries in server.xreadgroup(group, me, {stream: ">"}, count=1, block=2000) or []:
        for entry, job in entries:
            try:
                work(job)
                server.xack(stream, group, entry)
            except Exception as error:
                server.rpush(job["reply"], json.dumps({"id": job["id"], "token": int(job["token"]),
                    "attempt": int(job["attempt"]), "outcome": "retry", "error": str(error)}))
