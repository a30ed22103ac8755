from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from proxy import Proxy
from server import Server

from reprieve_client import Client, Conflict, Invalid, NotAllowed, NotFound, Unavailable


def test_a_job_is_enqueued_cancelled_and_reinstated_for_its_original_time(client: Client) -> None:
    planned = client.enqueue(
        id="a/1",
        kind="notice",
        subject="order:1",
        delay_ms=3_600_000,
        payload={"n": 1},
        unique={"key": "k", "ttl_ms": 9_000},
    )
    assert (planned["outcome"], planned["state"]) == ("delayed", "delayed")

    cancelled = client.cancel("a/1", reason="the customer renewed", version=planned["version"])
    back = client.reinstate("a/1", reason="a mistake")

    assert (cancelled["outcome"], back["outcome"]) == ("cancelled", "delayed")
    assert back["due_ms"] == planned["due_ms"]
    job = client.job("a/1")
    assert (job["state"], job["payload"], job["subject"]) == ("delayed", {"n": 1}, "order:1")
    assert [change["reason"] for change in job["history"]][:2] == ["a mistake", "the customer renewed"]


def test_all_jobs_of_a_subject_are_cancelled_at_once(client: Client) -> None:
    ids = [client.enqueue(kind="notice", subject="ann+a/b@example.com", delay_ms=60_000)["id"] for _ in range(2)]
    cancelled = client.cancel_subject("ann+a/b@example.com", reason="she left")
    assert {job["id"] for job in cancelled["jobs"]} == set(ids)
    assert {client.job(id)["state"] for id in ids} == {"cancelled"}


def test_a_key_makes_a_repeat_the_same_request(client: Client) -> None:
    first = client.enqueue(kind="notice", delay_ms=60_000, idempotency_key="once")
    assert client.enqueue(kind="notice", delay_ms=60_000, idempotency_key="once")["id"] == first["id"]
    with pytest.raises(Invalid) as caught:
        client.enqueue(kind="another", delay_ms=60_000, idempotency_key="once")
    assert caught.value.code == "idempotency_key_reused"


def test_errors_say_what_the_caller_can_do(client: Client) -> None:
    with pytest.raises(Invalid, match="2 mistakes") as invalid:
        client.enqueue(kind="notice", priority=10, delay_ms=-1)
    assert {mistake.get("pointer") for mistake in invalid.value.errors} == {"/priority", "/delay_ms"}

    with pytest.raises(NotFound, match="nobody"):
        client.job("nobody")

    holder = client.enqueue(kind="notice", delay_ms=60_000, unique={"key": "held", "ttl_ms": 60_000})["id"]
    with pytest.raises(Conflict) as conflict:
        client.enqueue(kind="notice", unique={"key": "held", "ttl_ms": 60_000})
    assert (conflict.value.code, conflict.value.body["holder"]) == ("duplicate", holder)

    with pytest.raises(Conflict) as conflict:
        client.reinstate(holder)
    assert (conflict.value.code, conflict.value.body["state"]) == ("wrong_state", "delayed")


def test_a_token_without_the_permission_is_refused_with_its_name(server: Server) -> None:
    client = Client(server.url, server.token("reader", "view"))
    with pytest.raises(NotAllowed, match="jobs.enqueue") as caught:
        client.enqueue(kind="notice")
    assert (caught.value.code, caught.value.status) == ("forbidden", 403)


@pytest.mark.parametrize("token", ["rpv_…", "rpv_ab\n"])
def test_a_token_that_cannot_be_one_is_told_at_once(token: str) -> None:
    with pytest.raises(ValueError, match=r"^the token contains '(…|\\n)'"):
        Client("http://127.0.0.1:8080", token)


@pytest.mark.parametrize("loses", ["answer", "gateway"])
def test_a_lost_answer_is_asked_for_again_under_the_same_key(server: Server, client: Client, loses: str) -> None:
    subject = f"lost:{loses}"
    began = time.monotonic()
    with closing(Proxy(server.url, loses)) as proxy:
        job = Client(proxy.url).enqueue(kind="notice", subject=subject, delay_ms=60_000)
    # The page of the gateway says when to try again.
    assert time.monotonic() - began >= (1 if loses == "gateway" else 0)
    assert len(proxy.keys) == 2 and len(set(proxy.keys)) == 1 and proxy.keys[0]
    assert [each["id"] for each in client.cancel_subject(subject)["jobs"]] == [job["id"]]


def test_a_server_that_is_away_is_asked_for_a_while(server: Server) -> None:
    with closing(Proxy(server.url, "answer")) as gone:
        pass
    with pytest.raises(Unavailable) as caught:
        Client(gone.url, retry_for=0.2).cancel("a", idempotency_key="once")
    assert (caught.value.code, caught.value.idempotency_key) == ("unreachable", "once")


def test_connections_that_the_server_has_closed_keep_nobody_from_it() -> None:
    together = threading.Barrier(5)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        #: For what rests longer the connection is closed.
        timeout = 0.2

        def do_GET(self) -> None:
            if "together" in self.path:
                together.wait()
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = Client(f"http://127.0.0.1:{server.server_port}", retry_for=0.5)
    with ThreadPoolExecutor(together.parties) as threads:
        list(threads.map(client.job, ["together"] * together.parties))
    time.sleep(1)
    # The second try has a new connection, and not the next of those that are closed.
    assert not client.job("alone")
    server.shutdown()
    server.server_close()
