"""Enqueues with the business transaction: the order and the job about it are written together, or neither is.

    outbox.py order <id> <customer> <due in ms>   the transaction of a shop
    outbox.py relay [--once]                      hands on to Reprieve what transactions promised

DATABASE is the file of the database, REPRIEVE_URL where the dashboard listens, REPRIEVE_TOKEN a token if it wants one.
"""
import json, os, sqlite3, sys, time, urllib.error, urllib.request

AT_ONCE = 500
WAIT_MAX = 60

def open_database():
    database = sqlite3.connect(os.environ.get("DATABASE", "shop.db"))
    database.execute("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, customer TEXT NOT NULL CHECK (customer <> ''))")
    database.execute("""CREATE TABLE IF NOT EXISTS outbox (place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL, subject TEXT, due_ms INTEGER NOT NULL, payload TEXT NOT NULL)""")
    return database

def order(database, order_id, customer, due_ms):
    """Takes an order. Whatever fails in between, there is never an order without its job, nor a job without its order."""
    with database:
        database.execute("INSERT INTO outbox (id, kind, subject, due_ms, payload) VALUES (?, ?, ?, ?, ?)",
            (f"remind-{order_id}", "remind", f"order:{order_id}", due_ms, json.dumps({"order": order_id})))
        database.execute("INSERT INTO orders VALUES (?, ?)", (order_id, customer))

def relay(database, url):
    """Hands on what waits, the oldest first, and returns how many. Killed between its two steps it sends the same jobs
    again, under the same ids: Reprieve answers `exists`."""
    rows = database.execute("SELECT id, kind, subject, due_ms, payload FROM outbox ORDER BY place LIMIT ?", (AT_ONCE,)).fetchall()
    if not rows:
        return 0
    jobs = [{"id": id, "kind": kind, "subject": subject, "due_ms": due_ms, "payload": json.loads(payload)}
        for id, kind, subject, due_ms, payload in rows]
    headers = {"content-type": "application/json"}
    if os.environ.get("REPRIEVE_TOKEN"):
        headers["authorization"] = "Bearer " + os.environ["REPRIEVE_TOKEN"]
    request = urllib.request.Request(url + "/api/v1/jobs", json.dumps(jobs).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        items = json.load(answer)["items"]
    # What was not taken in, a subject with too many jobs for one, stays and is sent again.
    taken = [(item["id"],) for item in items if item["outcome"] in ("ready", "delayed", "exists")]
    with database:
        database.executemany("DELETE FROM outbox WHERE id = ?", taken)
    return len(taken)

def seconds_to_wait(error):
    """How long an answer says to wait; None for one that comes again however often the same is sent."""
    if error.code != 429 and error.code < 500:
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
