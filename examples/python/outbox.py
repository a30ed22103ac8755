"""Enqueues with the business transaction: the order and the job about it are written together, or neither is.

    outbox.py order <id> <customer> <due in ms>   the transaction of a shop
    outbox.py relay [--once]                      hands on to Reprieve what transactions promised

DATABASE is the file of the database, REPRIEVE_URL where the dashboard listens, REPRIEVE_TOKEN a token if it wants one.
"""
import json, os, sqlite3, sys, time, urllib.error, urllib.request

AT_ONCE = 500
BYTES_AT_ONCE = 8 * 1024 * 1024
WAIT_MAX = 60

def open_database():
    database = sqlite3.connect(os.environ.get("DATABASE", "shop.db"))
    database.execute("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, customer TEXT NOT NULL CHECK (customer <> ''))")
    database.execute("""CREATE TABLE IF NOT EXISTS outbox (place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL, subject TEXT, due_ms INTEGER NOT NULL, payload TEXT NOT NULL, refused TEXT)""")
    if not any(column[1] == "refused" for column in database.execute("PRAGMA table_info(outbox)")):
        database.execute("ALTER TABLE outbox ADD COLUMN refused TEXT")
    return database

def order(database, order_id, customer, due_ms):
    """Takes an order. Whatever fails in between, there is never an order without its job, nor a job without its order."""
    with database:
        database.execute("INSERT INTO outbox (id, kind, subject, due_ms, payload) VALUES (?, ?, ?, ?, ?)",
            (f"remind-{order_id}", "remind", f"order:{order_id}", due_ms, json.dumps({"order": order_id})))
        database.execute("INSERT INTO orders VALUES (?, ?)", (order_id, customer))

def relay(database, url):
    """Hands on what waits, the oldest first, and returns how many. Killed before it has crossed off what it sent, it sends
    the same jobs again, under the same ids: Reprieve answers `exists`."""
    rows = database.execute("""SELECT id, kind, subject, due_ms, payload FROM outbox WHERE refused IS NULL
        ORDER BY place LIMIT ?""", (AT_ONCE,)).fetchall()
    return hand_on(database, url, [(id, json.dumps({"id": id, "kind": kind, "subject": subject, "due_ms": due_ms,
        "payload": json.loads(payload)})) for id, kind, subject, due_ms, payload in rows])

def hand_on(database, url, jobs):
    """Sends jobs, each with its id, in one request, or in halves where that is too large. One that is refused stays in its
    row with the reason, and keeps none behind it waiting."""
    if not jobs:
        return 0
    body = "[" + ",".join(text for _, text in jobs) + "]"
    middle = len(jobs) // 2
    if middle and len(body) > BYTES_AT_ONCE:
        return hand_on(database, url, jobs[:middle]) + hand_on(database, url, jobs[middle:])
    try:
        items = send(url, body)
    except urllib.error.HTTPError as error:
        if error.code not in (413, 422):
            raise
        refused = mistakes(error, jobs)
        if not refused and not middle:
            print(f"{jobs[0][0]!r} waits: {error}", file=sys.stderr, flush=True)
            return 0
        if not refused:
            return hand_on(database, url, jobs[:middle]) + hand_on(database, url, jobs[middle:])
        with database:
            database.executemany("UPDATE outbox SET refused = ? WHERE id = ?", [(why, id) for id, why in refused.items()])
        for id, why in refused.items():
            print(f"{id!r} is refused and left out: {why}", file=sys.stderr, flush=True)
        return hand_on(database, url, [job for job in jobs if job[0] not in refused])
    # What was not taken in, a subject with too many jobs for one, stays and is sent again.
    taken = [(item["id"],) for item in items if item["outcome"] in ("ready", "delayed", "exists")]
    with database:
        database.executemany("DELETE FROM outbox WHERE id = ?", taken)
    return len(taken)

def send(url, body):
    """Sends an array of jobs, and returns what became of each."""
    headers = {"content-type": "application/json"}
    if os.environ.get("REPRIEVE_TOKEN"):
        headers["authorization"] = "Bearer " + os.environ["REPRIEVE_TOKEN"]
    request = urllib.request.Request(url + "/api/v1/jobs", body.encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["items"]

def mistakes(error, jobs):
    """The ids of the jobs that an answer finds mistakes in, each with what is wrong: those that it names, or the only one where
    that is too large. A proxy in between names none, nor does who has no room for more queues at present."""
    try:
        problem = json.load(error)
    except ValueError:
        problem = {}
    refused = {}
    for mistake in problem.get("errors", []):
        place = mistake.get("pointer", "").split("/")[1:2]
        if place and place[0].isdecimal() and int(place[0]) < len(jobs):
            refused.setdefault(jobs[int(place[0])][0], []).append(mistake["detail"])
    if not refused and len(jobs) == 1 and error.code == 413:
        refused[jobs[0][0]] = [problem.get("detail", str(error))]
    return {id: "; ".join(whys) for id, whys in refused.items()}

def seconds_to_wait(error):
    """How long an answer says to wait; None for one that comes again however often the same is sent."""
    if error.code not in (408, 429) and error.code < 500:
        return None
    asked = error.headers.get("retry-after", "")
    return min(max(int(asked), 1), WAIT_MAX) if asked.isdecimal() else 1

def main(verb, *rest):
    database = open_database()
    if verb == "order":
        return order(database, rest[0], rest[1], int(rest[2]))
    url = os.environ.get("REPRIEVE_URL", "http://127.0.0.1:8080")
    while True:
        try:
            count = relay(database, url)
            wait = 0 if count else 1
            if count:
                print("handed on:", count, flush=True)
        except urllib.error.HTTPError as error:
            wait = seconds_to_wait(error)
            if wait is None:
                sys.exit(f"{url} refuses: {error.read().decode()}")
            print(f"{url} cannot take them now ({error}); again in {wait} s", file=sys.stderr, flush=True)
        except OSError as error:
            wait = 1
            print(f"{url} does not answer ({error}); again in {wait} s", file=sys.stderr, flush=True)
        if "--once" in rest:
            return
        time.sleep(wait)

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("order", "relay") or (sys.argv[1] == "order" and len(sys.argv) != 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
