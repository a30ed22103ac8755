from __future__ import annotations

import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import until
from server import Server

from reprieve_client import ActiveJob, Client, Fatal, NotAllowed, Retry, Snooze, Worker

EXAMPLE = Path(__file__).parents[1] / "examples/worker.py"


@contextmanager
def working(client: Client, queue: str, handler: Callable[[ActiveJob], object], **options: Any) -> Iterator[Worker]:
    """A worker in a thread of its own, which has ended at the end."""
    worker = Worker(client, queue, {"work": handler}, **options)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield worker
    finally:
        worker.stop()
        thread.join(30)
    assert not thread.is_alive()


def state(client: Client, id: str) -> str:
    return client.job(id)["state"]


def raising(error: Exception) -> Callable[[ActiveJob], object]:
    def handler(job: ActiveJob) -> object:
        raise error

    return handler


async def coroutine(job: ActiveJob) -> None:
    raise ValueError("no ink, later")


@pytest.mark.parametrize(
    ("name", "handler", "ends", "error"),
    [
        ("coroutine", coroutine, "retrying", "ValueError: no ink, later"),
        ("exits", lambda job: sys.exit("no more"), "retrying", "SystemExit: no more"),
        ("half", raising(ValueError("caf\udce9")), "retrying", "ValueError: caf?"),
        ("refused", raising(Retry("too far away", in_ms=10**18)), "retrying", "too far away"),
        ("done", lambda job: job.payload["n"] + 1, "done", ""),
        ("failed", raising(ValueError("no ink")), "retrying", "ValueError: no ink"),
        ("again", raising(Retry("busy", in_ms=59_999.6)), "retrying", "busy"),
        ("fatal", raising(Fatal("no such address")), "dead", "no such address"),
        ("later", raising(Snooze("closed", delay_ms=60_000)), "delayed", ""),
    ],
)
def test_what_a_handler_does_is_reported(
    client: Client, name: str, handler: Callable[[ActiveJob], object], ends: str, error: str
) -> None:
    client.enqueue(id=name, kind="work", queue=name, payload={"n": 1})
    with working(client, name, handler):
        until(lambda: state(client, name) == ends)
    job = client.job(name)
    assert (job["last_error"].split("\n")[0], job["attempt"]) == (error, 0 if name == "later" else 1)
    if name in ("again", "later"):
        assert 59_000 < job["due_ms"] - job["attempts"][0]["ended_ms"] <= 60_000


def returning(result: object) -> Callable[[ActiveJob], object]:
    return lambda job: result


async def answer(job: ActiveJob) -> list[str]:
    return ["é", job.id]


@pytest.mark.parametrize(
    ("name", "handler", "result"),
    [
        ("counts", lambda job: {"n": job.payload["n"] + 1}, {"n": 2}),
        ("awaited", answer, ["é", "awaited"]),
        ("no", returning(False), False),
        ("nothing", returning(None), None),
        ("most", returning("x" * (64 * 1024 - 2)), "x" * (64 * 1024 - 2)),
    ],
)
def test_what_a_handler_returns_is_the_result(
    client: Client, name: str, handler: Callable[[ActiveJob], object], result: object
) -> None:
    client.enqueue(id=name, kind="work", queue=name, payload={"n": 1})
    with working(client, name, handler):
        until(lambda: state(client, name) == "done")
    assert client.job(name)["result"] == result


@pytest.mark.parametrize(
    ("name", "result", "why"),
    [
        ("large", "x" * 64 * 1024, "it has 65538 bytes, at most 65536 are allowed"),
        ("object", object(), "it is no JSON: Object of type object is not JSON serializable"),
        ("nan", float("nan"), "it is no JSON: Out of range"),
        # The server says this.
        ("twice", {1: 1, "1": 2}, 'the key "1" twice'),
    ],
)
def test_a_job_whose_result_cannot_be_kept_is_done_without_it(
    client: Client, caplog: pytest.LogCaptureFixture, name: str, result: object, why: str
) -> None:
    client.enqueue(id=name, kind="work", queue=name)
    with working(client, name, returning(result)):
        until(lambda: state(client, name) == "done")
    job = client.job(name)
    assert (job["result"], job["attempt"]) == (None, 1)
    [said] = told(caplog)
    assert said.startswith(f"the result of job {name} is not kept: ") and why in said, said


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The warnings so far."""
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("said-plain", ValueError("no ink\nat all"), "failed: ValueError: no ink"),
        ("said-again", Retry("busy", in_ms=60_000), "failed, to be tried again after 60000 ms: busy"),
        ("said-fatal", Fatal("no such address"), "failed for good: no such address"),
        ("said-later", Snooze("closed", delay_ms=60_000), ""),
    ],
)
def test_a_handler_that_raises_is_one_warning(
    client: Client, caplog: pytest.LogCaptureFixture, name: str, error: Exception, said: str
) -> None:
    caplog.set_level(logging.INFO)
    client.enqueue(id=name, kind="work", queue=name)
    with working(client, name, raising(error)):
        until(lambda: state(client, name) not in ("ready", "active"))
    assert told(caplog) == ([f"job {name} of kind work {said}"] if said else [])
    assert said or f"job {name} of kind work is put off for 60000 ms: closed" in caplog.messages


def test_a_kind_without_a_handler_waits_for_another_worker(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    client.enqueue(id="stranger", kind="other", queue="kinds")
    with working(client, "kinds", raising(AssertionError())) as worker:
        until(lambda: state(client, "stranger") == "delayed")
    why = f"no handler for kind other in worker {worker.name}"
    assert why in client.job("stranger")["history"][0]["reason"]
    assert told(caplog) == [f"job stranger of kind other is put off for 60000 ms: {why}"]


def test_a_payload_of_bytes_comes_as_bytes(client: Client) -> None:
    seen: list[object] = []
    client.enqueue(id="bytes", kind="work", queue="bytes", payload_base64="/w==")
    with working(client, "bytes", lambda job: seen.append(job.payload)):
        until(lambda: state(client, "bytes") == "done")
    assert seen == [b"\xff"]


def test_no_more_jobs_run_at_once_than_is_said(client: Client) -> None:
    for n in range(4):
        client.enqueue(kind="work", queue="many", payload={"n": n, "seconds": 0.2 if n else 1.5})
    running, most, ended = [0], [0], list[int]()
    lock = threading.Lock()

    def handler(job: ActiveJob) -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        # The work.
        time.sleep(job.payload["seconds"])
        with lock:
            running[0] -= 1
            ended.append(job.payload["n"])

    with working(client, "many", handler, concurrency=2):
        until(lambda: len(ended) == 4)
    assert most == [2]
    assert ended == [1, 2, 3, 0], "one place takes the short jobs while the long one has the other"


def test_what_is_claimed_when_the_worker_is_told_to_stop_is_given_back(server: Server) -> None:
    class Stopping(Client):
        def claim(self, queue: str, **claim: Any) -> Any:
            claimed = super().claim(queue, **claim)
            worker.stop()
            return claimed

    client = Stopping(server.url)
    client.enqueue(id="back", kind="work", queue="back")
    worker = Worker(client, "back", {"work": raising(Fatal("not called"))})
    worker.run()
    job = client.job("back")
    assert (job["state"], job["attempt"]) == ("ready", 0)


def test_a_cancel_reaches_the_handler(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    seen: list[str | None] = []

    def handler(job: ActiveJob) -> None:
        job.stop_requested.wait(20)
        seen.append(job.stop_reason)
        job.check()

    client.enqueue(id="stop-me", kind="work", queue="cancel")
    with working(client, "cancel", handler, heartbeat_ms=100):
        until(lambda: state(client, "stop-me") == "active")
        assert client.cancel("stop-me")["outcome"] == "requested"
        until(lambda: state(client, "stop-me") == "cancelled")
    assert seen == ["cancel"]
    [said] = told(caplog)
    assert said.startswith("job stop-me of kind work was cancelled: "), said


def test_a_lease_is_extended_while_the_handler_runs(client: Client) -> None:
    client.enqueue(id="long", kind="work", queue="long")
    # More than twice the lease.
    with working(client, "long", lambda job: time.sleep(3.5), lease_ms=1_500, heartbeat_ms=250):
        until(lambda: state(client, "long") == "done")
    job = client.job("long")
    assert ([each["result"] for each in job["attempts"]], job["stalls"]) == (["done"], 0)


def test_a_lost_lease_stops_the_handler(client: Client) -> None:
    seen: list[str | None] = []

    def handler(job: ActiveJob) -> None:
        # Somebody else reports with its token meanwhile.
        client.snooze(job.id, token=job.token, delay_ms=60_000)
        job.stop_requested.wait(15)
        seen.append(job.stop_reason)

    client.enqueue(id="lost", kind="work", queue="lost")
    with working(client, "lost", handler, heartbeat_ms=100):
        until(lambda: bool(seen))
    assert seen == ["lost"]
    assert state(client, "lost") == "delayed"


def test_a_job_beyond_its_time_limit_is_stopped_and_fails(client: Client) -> None:
    def handler(job: ActiveJob) -> None:
        job.stop_requested.wait(20)
        job.check()

    client.enqueue(id="slow", kind="work", queue="slow", timeout_ms=300)
    with working(client, "slow", handler):
        until(lambda: state(client, "slow") == "retrying")
    assert client.job("slow")["last_error"].startswith("took longer than its limit of 300 ms")


def test_a_server_that_comes_back_hears_what_was_done_and_gives_more() -> None:
    with closing(Server().start()) as server:
        client = Client(server.url)
        begun, finish = threading.Event(), threading.Event()

        def handler(job: ActiveJob) -> None:
            begun.set()
            assert finish.wait(30)

        client.enqueue(id="before", kind="work", queue="away")
        # With room for another job: a claim waits at the server that goes away.
        with working(client, "away", handler, heartbeat_ms=200, concurrency=2):
            assert begun.wait(20)
            server.stop()
            finish.set()
            # Long enough for a report, a heartbeat and a claim to fail.
            time.sleep(0.5)
            server.start()
            client.enqueue(id="after", kind="work", queue="away")
            until(lambda: state(client, "before") == "done" and state(client, "after") == "done")
        assert client.job("before")["attempt"] == 1


def test_a_worker_whose_token_may_not_work_ends_and_says_so(server: Server) -> None:
    worker = Worker(Client(server.url, server.token("idle", "view")), "any", {})
    with pytest.raises(NotAllowed, match="jobs.work"):
        worker.run()


def test_an_idle_worker_ends_at_once(client: Client) -> None:
    client.enqueue(id="only", kind="work", queue="idle")
    with working(client, "idle", lambda job: None) as worker:
        until(lambda: state(client, "only") == "done")
        # Until its next claim waits at the server, of which nothing tells us.
        time.sleep(0.3)
        began = time.monotonic()
        worker.stop()
    assert time.monotonic() - began < 5, "the claim would wait for ten seconds"


@pytest.mark.parametrize("obeys", [True, False])
def test_a_handler_that_is_not_done_at_the_end_is_stopped_and_its_job_given_back(client: Client, obeys: bool) -> None:
    let_go = threading.Event()
    seen: list[str | None] = []

    def handler(job: ActiveJob) -> None:
        if not obeys:
            let_go.wait(30)
        job.stop_requested.wait(30)
        seen.append(job.stop_reason)
        job.check()

    name = f"end-{obeys}"
    client.enqueue(id=name, kind="work", queue=name)
    with working(client, name, handler, grace_ms=100):
        until(lambda: state(client, name) == "active")
    assert seen == (["shutdown"] if obeys else [])
    let_go.set()
    job = client.job(name)
    assert (job["state"], job["attempt"]) == ("ready", 0)


def test_the_example_finishes_what_it_has_on_sigterm_and_obeys_cancels(server: Server, client: Client) -> None:
    for name, payload in (("cancelled", {"pages": 60}), ("wrong", {}), ("finished", {"pages": 2})):
        client.enqueue(id=name, kind="send_notice", queue="mail", subject=name, payload=payload)
    token = server.token("mailer", "jobs.work")
    command = [sys.executable, str(EXAMPLE), server.url]
    environment = {"REPRIEVE_TOKEN": token, "PYTHONPATH": str(EXAMPLE.parents[1] / "src")}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as example:
        assert example.stdout
        timer = threading.Timer(30, example.kill)
        timer.start()
        line = ""
        while "finished: page 1 of 2" not in line:
            line = example.stdout.readline()
            assert line, "the example ended"
        client.cancel("cancelled")
        # Often both come, as from a shell and from what runs in it.
        example.send_signal(signal.SIGTERM)
        example.send_signal(signal.SIGINT)
        rest = example.stdout.read()
        timer.cancel()
    assert "finished: page 2 of 2" in rest
    assert (example.returncode, state(client, "cancelled")) == (0, "cancelled")
    finished, wrong = client.job("finished"), client.job("wrong")
    assert (finished["state"], finished["result"]) == ("done", {"pages": 2})
    assert (wrong["state"], wrong["last_error"]) == (
        "dead",
        "the payload of a notice needs `pages`, a whole number from 1",
    )
