"""Calls of the HTTP API, one method each."""

from __future__ import annotations

import http.client
import itertools
import json
import random
import re
import ssl
import threading
import time
import uuid
from typing import Any, Unpack, cast
from urllib.parse import quote, urlsplit

from . import api
from .errors import ReprieveError, Unavailable, problem

#: Waits between tries, in seconds: the first is short, for a connection that was merely stale.
_WAIT_FIRST, _WAIT_LONGEST = 0.1, 2.0
#: How long a connection may rest before another takes its place, in seconds: less than servers and proxies keep one.
_REST_MAX = 50.0


class Client:
    """A Reprieve server. Threads may share one.

    A call whose outcome is unknown is repeated under the same idempotency key for `retry_for` seconds, so it is done
    once at most. Calls of workers are not repeated here; the `Worker` does that.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout: float = 10.0,
        retry_for: float = 30.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`timeout` is for one answer, in seconds; `tls` says which certificates are trusted, if not the usual.

        Raises `ValueError` for an address or a token that cannot be one.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not an http:// or https:// address")
        if token and (wrong := re.search(r"[^!-~]", token)):
            raise ValueError(f"the token contains {wrong[0]!r}, which no token does: give it whole")
        self._url = url.rstrip("/")
        self._host, self._port = parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/") + "/api/v1"
        self._tls = (tls or ssl.create_default_context()) if parts.scheme == "https" else None
        self._token = token
        self._timeout = timeout
        self._retry_for = retry_for
        #: Connections at rest, and since when.
        self._idle: list[tuple[http.client.HTTPConnection, float]] = []
        self._lock = threading.Lock()

    def enqueue(self, *, idempotency_key: str | None = None, **job: Unpack[api.NewJob]) -> api.Standing:
        """Adds a job. Its `outcome` is `exists` if one of its id is there already.

        Raises `Conflict` if it was not accepted: `duplicate`, `subject_full` or `id_conflict`.
        """
        return cast(api.Standing, self._act("/jobs", job, idempotency_key))

    def cancel(self, id: str, *, idempotency_key: str | None = None, **act: Unpack[api.Act]) -> api.Standing:
        """Cancels a job. The `outcome` is `cancelled`, or `requested` if it runs: then its worker is asked to stop.

        Raises `Conflict` if it was too late (`already_finished`) or the job has changed since `version` (`conflict`).
        """
        return cast(api.Standing, self._act(f"{_job(id)}/cancel", act, idempotency_key))

    def reinstate(self, id: str, *, idempotency_key: str | None = None, **act: Unpack[api.ActAtTime]) -> api.Standing:
        """Undoes a cancel, at the original due time unless another is given.

        Raises `Conflict` if that time has passed (`overdue`) or the job is not cancelled (`wrong_state`).
        """
        return cast(api.Standing, self._act(f"{_job(id)}/reinstate", act, idempotency_key))

    def cancel_subject(
        self, subject: str, *, idempotency_key: str | None = None, **why: Unpack[api.Reason]
    ) -> api.SubjectCancelled:
        """Cancels all live jobs of a subject in one step."""
        path = f"/subjects/{quote(subject, safe='')}/cancel"
        return cast(api.SubjectCancelled, self._act(path, why, idempotency_key))

    def job(self, id: str) -> api.Job:
        """The job with payload, attempts and history. Raises `NotFound`."""
        return cast(api.Job, self._repeated("GET", _job(id), None, None))

    def claim(self, queue: str, **claim: Unpack[api.Claim]) -> api.Claimed:
        """Claims jobs of a queue. If the answer is lost, the jobs come back when their leases end."""
        timeout = self._timeout + (claim.get("wait_ms") or 0) / 1000
        path = f"/queues/{quote(queue, safe='')}/claim"
        return cast(api.Claimed, self._once("POST", path, claim, None, timeout))

    def complete(self, id: str, **completion: Unpack[api.Completion]) -> api.Reported:
        """Reports that a job is done. Raises `LeaseLost` if it is another worker's by now, as all reports do."""
        return self._report(f"{_job(id)}/complete", completion)

    def fail(self, id: str, **failure: Unpack[api.Failure]) -> api.Reported:
        """Reports that an attempt failed."""
        return self._report(f"{_job(id)}/fail", failure)

    def extend(self, id: str, **extension: Unpack[api.Extension]) -> api.Reported:
        """Extends a lease. `cancel_requested` says whether somebody asked for the job to stop."""
        return self._report(f"{_job(id)}/extend", extension)

    def release(self, id: str, **report: Unpack[api.Report]) -> api.Reported:
        """Gives a job back: it is ready again, and no attempt is counted."""
        return self._report(f"{_job(id)}/release", report)

    def snooze(self, id: str, **snooze: Unpack[api.Snooze]) -> api.Reported:
        """Puts a job off: it is delayed again, and no attempt is counted."""
        return self._report(f"{_job(id)}/snooze", snooze)

    def _act(self, path: str, body: object, key: str | None) -> Any:
        return self._repeated("POST", path, body, key or str(uuid.uuid4()))

    def _report(self, path: str, body: object) -> api.Reported:
        return cast(api.Reported, self._once("POST", path, body, None, self._timeout))

    def _repeated(self, method: str, path: str, body: object, key: str | None) -> Any:
        deadline = time.monotonic() + self._retry_for
        for tries in itertools.count():
            try:
                return self._once(method, path, body, key, self._timeout)
            except ReprieveError as error:
                error.idempotency_key = key
                backoff = min(_WAIT_FIRST * 2**tries, _WAIT_LONGEST) * random.uniform(0.5, 1.0)
                wait = backoff if error.retry_after is None else error.retry_after
                if not isinstance(error, Unavailable) or time.monotonic() + wait > deadline:
                    raise
            time.sleep(wait)

    def _once(self, method: str, path: str, body: object, key: str | None, timeout: float) -> Any:
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if key:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        connection = self._rested() or self._new_connection()
        connection.timeout = timeout
        if connection.sock:
            connection.sock.settimeout(timeout)
        try:
            connection.request(method, self._prefix + path, data, headers)
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            self._close_all(connection)
            why = str(error) or type(error).__name__
            raise Unavailable("unreachable", f"no answer from {self._url}: {why}") from error
        with self._lock:
            self._idle.append((connection, time.monotonic()))
        answer = _read(text)
        if 200 <= response.status < 300 and answer is not None:
            return answer
        raise problem(response.status, answer or {}, _seconds(response.getheader("Retry-After")))

    def _rested(self) -> http.client.HTTPConnection | None:
        """The connection that rests for the shortest time, unless that is too long."""
        with self._lock:
            connection, since = self._idle.pop() if self._idle else (None, 0.0)
        if connection is None or time.monotonic() - since < _REST_MAX:
            return connection
        self._close_all(connection)
        return None

    def _close_all(self, connection: http.client.HTTPConnection) -> None:
        """Closes a connection and those at rest, which lead to the same server."""
        with self._lock:
            idle, self._idle = self._idle, []
        for each in (connection, *(resting for resting, _ in idle)):
            each.close()

    def _new_connection(self) -> http.client.HTTPConnection:
        if self._tls is not None:
            return http.client.HTTPSConnection(self._host, self._port, context=self._tls)
        return http.client.HTTPConnection(self._host, self._port)


def _job(id: str) -> str:
    return f"/jobs/{quote(id, safe='')}"


def _read(text: bytes) -> dict[str, Any] | None:
    """The object that an answer is; None if a proxy in between said something else."""
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _seconds(header: str | None) -> float | None:
    try:
        return None if header is None else max(float(header), 0.0)
    except ValueError:
        # A date, which Reprieve never sends.
        return None
