"""A worker: claims jobs of one queue, runs a handler for each in a thread of its own, and reports."""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import logging
import os
import re
import signal
import socket
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from .api import ClaimedJob, Reported
from .client import Client
from .errors import Invalid, LeaseLost, NotFound, ReprieveError, Unavailable

log = logging.getLogger("reprieve_client")

StopReason = Literal["cancel", "timeout", "lost", "shutdown"]

#: How long one claim waits for a job: the longest that the server allows.
_WAIT_MS = 10_000
#: Most jobs of one claim.
_CLAIM_MAX = 100
#: Wait after the server did not answer, in seconds, if it does not say how long.
_RETRY_S = 1.0
#: How long a job of a kind that nobody here handles waits: a new version of the worker may be on its way.
_PARK_MS = 60_000
#: How often the main thread looks for a signal, in seconds.
_LOOK_S = 0.2
#: How long a handler that was asked to stop at the end may take, in seconds.
_STOP_S = 2.0
#: Bytes of a result that the server keeps.
_RESULT_MAX = 64 * 1024
#: Characters of an error and of a reason that are sent: what the server keeps of the one, and accepts of the other.
_ERROR_MAX, _REASON_MAX = 8 * 1024, 256


class Stopped(Exception):
    """Raised by `ActiveJob.check` in a handler that was asked to stop."""


class Snooze(Exception):
    """Raised by a handler that wants to be called later; costs no attempt."""

    def __init__(self, reason: str, *, delay_ms: float) -> None:
        super().__init__(reason)
        self.delay_ms = _whole_ms(delay_ms)


class Retry(Exception):
    """Raised by a handler that failed and says when to try again. Any other exception is tried again by policy."""

    def __init__(self, error: str, *, in_ms: float) -> None:
        super().__init__(error)
        self.in_ms = _whole_ms(in_ms)


class Fatal(Exception):
    """Raised by a handler that failed and need not be tried again: the job is dead."""


class ActiveJob:
    """A job in the hands of its handler."""

    def __init__(self, claimed: ClaimedJob) -> None:
        #: All that the server said of it.
        self.claimed = claimed
        self.id = claimed["id"]
        self.kind = claimed["kind"]
        self.subject = claimed["subject"]
        #: 1 for the first attempt.
        self.attempt = claimed["attempt"]
        #: Grows with every attempt: pass it on to whatever a late run must not change.
        self.token = claimed["token"]
        #: Set when the handler should stop.
        self.stop_requested = threading.Event()
        #: Why: somebody cancelled it, it took too long, another worker has it, or this worker ends.
        self.stop_reason: StopReason | None = None
        self._ended = threading.Event()

    @property
    def payload(self) -> Any:
        """What was enqueued: JSON, or bytes."""
        encoded = self.claimed.get("payload_base64")
        return self.claimed.get("payload") if encoded is None else base64.b64decode(encoded)

    def check(self) -> None:
        """Raises `Stopped` if the handler should stop."""
        if self.stop_requested.is_set():
            raise Stopped(f"stopped: {self.stop_reason}")

    def _stop(self, reason: StopReason) -> None:
        if not self.stop_requested.is_set():
            self.stop_reason = reason
            self.stop_requested.set()


#: A coroutine that a handler returns runs in an event loop of its own.
Handler = Callable[[ActiveJob], object]

#: How a handler ended: its report, and what went wrong in words; "" if nothing did.
_Ending = tuple[Callable[[], Reported], str]


class Worker:
    """Works on one queue until `stop`, SIGTERM or SIGINT.

    A handler that returns has done its job, and what it returns is kept as the result. One that raises has failed, unless
    it raises `Snooze`. Leases are extended while handlers run; each extension asks whether somebody cancelled the job.
    """

    def __init__(
        self,
        client: Client,
        queue: str,
        handlers: Mapping[str, Handler],
        *,
        name: str | None = None,
        concurrency: int = 1,
        lease_ms: int = 30_000,
        heartbeat_ms: int = 4_000,
        timeout_ms: int = 30 * 60_000,
        grace_ms: int = 20_000,
    ) -> None:
        """`handlers` are by kind. `timeout_ms` is for jobs that name no limit. `grace_ms` is how long jobs in hand may
        take at the end. `name` must be this worker's alone; without one it is made of host and process."""
        if concurrency < 1 or not 0 < heartbeat_ms < lease_ms:
            raise ValueError("a worker needs concurrency of at least 1, and a heartbeat shorter than its lease")
        self.name = name or _own_name()
        self._client, self._queue, self._handlers = client, queue, dict(handlers)
        self._concurrency, self._lease_ms, self._timeout_ms = concurrency, lease_ms, timeout_ms
        self._heartbeat, self._grace = heartbeat_ms / 1000, grace_ms / 1000
        self._stopping = threading.Event()
        #: A handler of signals must take no lock, so it sets no event.
        self._signalled = False
        #: Set when run() ends: who still has a report gives up.
        self._over = threading.Event()
        self._claim_waits = False
        self._failure: Exception | None = None
        self._in_hand: set[ActiveJob] = set()
        self._changed = threading.Condition()

    def run(self) -> None:
        """Works until it is told to stop, and ends once no job is in hand.

        Only in the main thread do signals stop it. Raises the error that made work impossible, such as `NotAllowed`.
        """
        claims = threading.Thread(target=self._claim_until_stopped, name="reprieve-claims", daemon=True)
        with self._signals():
            claims.start()
            # A wait can miss a signal, so it is short.
            while not (self._signalled or self._stopping.wait(_LOOK_S)):
                pass
            self.stop()
            self._end_waiting_claim()
            claims.join()
            self._drain()
        self._over.set()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Claims nothing more; `run` returns once the jobs in hand have ended."""
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()

    @contextmanager
    def _signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        names = (signal.SIGTERM, signal.SIGINT)
        before = [signal.signal(name, self._on_signal) for name in names]
        try:
            yield
        finally:
            for name, handler in zip(names, before, strict=True):
                signal.signal(name, handler)

    def _on_signal(self, *_: object) -> None:
        self._signalled = True

    def _claim_until_stopped(self) -> None:
        try:
            while (free := self._wait_for_room()) > 0:
                self._claim(min(free, _CLAIM_MAX))
        except Exception as error:  # noqa: BLE001 (run() raises it)
            self._failure = error
            self.stop()

    def _wait_for_room(self) -> int:
        """How many more jobs fit in, once any do; 0 when stopping."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopping.is_set() or len(self._in_hand) < self._concurrency)
            return 0 if self._stopping.is_set() else self._concurrency - len(self._in_hand)

    def _claim(self, most: int) -> None:
        self._claim_waits = True
        try:
            claimed = self._client.claim(
                self._queue, worker=self.name, most=most, lease_ms=self._lease_ms, wait_ms=_WAIT_MS
            )
        except Unavailable as error:
            log.warning("cannot claim from queue %s: %s", self._queue, error)
            self._stopping.wait(_RETRY_S if error.retry_after is None else error.retry_after)
            return
        finally:
            self._claim_waits = False
        for item in claimed["items"]:
            job = ActiveJob(item)
            with self._changed:
                self._in_hand.add(job)
            threading.Thread(target=self._run, args=(job,), name=f"reprieve-{job.id}", daemon=True).start()

    def _end_waiting_claim(self) -> None:
        """Has the server end a claim that waits: a newer claim of the same worker does that."""
        if not self._claim_waits:
            return
        try:
            claimed = self._client.claim(self._queue, worker=self.name, wait_ms=1)
            for item in claimed["items"]:
                self._client.release(item["id"], token=item["token"])
        except ReprieveError as error:
            log.debug("the waiting claim ends by itself: %s", error)

    def _run(self, job: ActiveJob) -> None:
        heartbeat = threading.Thread(target=self._keep, args=(job,), daemon=True)
        heartbeat.start()
        try:
            # What was claimed when the worker was told to stop is given back.
            report = self._released(job) if self._stopping.is_set() else self._handle(job)
            self._insist(job, *report)
        finally:
            job._ended.set()
            with self._changed:
                self._in_hand.discard(job)
                self._changed.notify_all()

    def _handle(self, job: ActiveJob) -> _Ending:
        """Runs the handler; returns the report of how it ended, and what went wrong in words."""
        client, id, token = self._client, job.id, job.token
        handler = self._handlers.get(job.kind)
        try:
            if handler is None:
                raise Snooze(f"no handler for kind {job.kind} in worker {self.name}", delay_ms=_PARK_MS)
            result = handler(job)
            if inspect.iscoroutine(result):
                result = asyncio.run(result)
        except Snooze as snooze:
            wait, reason = snooze.delay_ms, _cut(str(snooze), _REASON_MAX)
            level = logging.WARNING if handler is None else logging.INFO
            _tell(job, f"is put off for {wait} ms", reason, level)
            return lambda: client.snooze(id, token=token, delay_ms=wait, reason=reason), reason
        except Fatal as fatal:
            text = _cut(str(fatal), _ERROR_MAX)
            _tell(job, "failed for good", text)
            return lambda: client.fail(id, token=token, error=text, fatal=True), text
        except Retry as retry:
            text, wait = _cut(str(retry), _ERROR_MAX), retry.in_ms
            _tell(job, f"failed, to be tried again after {wait} ms", text)
            return lambda: client.fail(id, token=token, error=text, retry_in_ms=wait), text
        except BaseException as error:  # noqa: BLE001 (a handler's failure is the job's alone, sys.exit() too)
            late = f"took longer than its limit of {self._limit_ms(job)} ms\n" if job.stop_reason == "timeout" else ""
            text = _cut(late + _describe(error), _ERROR_MAX)
            if job.stop_reason == "shutdown":
                _tell(job, "was stopped and is given back", text)
                return self._released(job)
            _tell(job, "failed", text)
            return self._failed(job, text), text
        return self._done(job, result), ""

    def _done(self, job: ActiveJob, result: object) -> Callable[[], Reported]:
        """The report of a job that is done, with its result if that can be kept."""

        def plain() -> Reported:
            return self._client.complete(job.id, token=job.token)

        def with_result() -> Reported:
            try:
                return self._client.complete(job.id, token=job.token, result=result)
            except Invalid as error:
                log.warning("the result of job %s is not kept: %s", job.id, error)
                return plain()

        if result is None:
            return plain
        if why := _unfit(result):
            log.warning("the result of job %s is not kept: %s", job.id, why)
            return plain
        return with_result

    def _released(self, job: ActiveJob) -> _Ending:
        return lambda: self._client.release(job.id, token=job.token), ""

    def _failed(self, job: ActiveJob, text: str) -> Callable[[], Reported]:
        return lambda: self._client.fail(job.id, token=job.token, error=text)

    def _insist(self, job: ActiveJob, report: Callable[[], Reported], text: str) -> None:
        """Reports until the server has heard it. A repeated report gets the first answer; one that is refused is a failure."""
        is_plain = False
        while not self._over.is_set():
            try:
                report()
                return
            except Unavailable as error:
                log.warning("cannot report on job %s: %s", job.id, error)
                self._over.wait(_RETRY_S if error.retry_after is None else error.retry_after)
            except (LeaseLost, NotFound) as error:
                log.warning("job %s is no longer ours: %s", job.id, error)
                return
            except Invalid as error:
                if is_plain:
                    log.error("the report on job %s was refused, so its lease runs out: %s", job.id, error)
                    return
                refused = _cut(f"{text}\nthe report of it was refused: {error}".strip(), _ERROR_MAX)
                is_plain, report = True, self._failed(job, refused)
            except ReprieveError as error:
                log.error("the report on job %s was refused, so its lease runs out: %s", job.id, error)
                return

    def _keep(self, job: ActiveJob) -> None:
        """Extends the lease until the handler has ended and reported, but not beyond the job's time limit."""
        until = time.monotonic() + self._limit_ms(job) / 1000
        while not job._ended.wait(min(self._heartbeat, max(until - time.monotonic(), 0.0))):
            if time.monotonic() >= until:
                # Should its handler never end, the lease does, and the job is tried again elsewhere.
                job._stop("timeout")
                return
            try:
                answer = self._client.extend(job.id, token=job.token, lease_ms=self._lease_ms)
                if answer.get("cancel_requested"):
                    job._stop("cancel")
            except (LeaseLost, NotFound):
                job._stop("lost")
                return
            except ReprieveError as error:
                log.warning("cannot extend the lease of job %s: %s", job.id, error)

    def _limit_ms(self, job: ActiveJob) -> int:
        return job.claimed["timeout_ms"] or self._timeout_ms

    def _drain(self) -> None:
        """Waits for the jobs in hand. Who is not done in time is asked to stop, and given back."""
        if self._is_empty_within(self._grace):
            return
        for job in self._jobs():
            job._stop("shutdown")
        if self._is_empty_within(_STOP_S):
            return
        for job in self._jobs():
            log.error("the handler of job %s did not stop; the job is given back", job.id)
            job._ended.set()
            try:
                self._client.release(job.id, token=job.token)
            except ReprieveError as error:
                log.warning("job %s could not be given back: %s", job.id, error)

    def _jobs(self) -> list[ActiveJob]:
        with self._changed:
            return list(self._in_hand)

    def _is_empty_within(self, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._in_hand, seconds)


def _own_name() -> str:
    """A name that no other worker has, within the 64 characters that are allowed."""
    host = re.sub(r"[^A-Za-z0-9_-]", "-", socket.gethostname())[:40]
    return f"{host}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


def _whole_ms(ms: float) -> int:
    """A wait that the server takes: whole milliseconds, and none for one that is over."""
    return max(round(ms), 0)


def _cut(text: str, most: int) -> str:
    """The beginning of a text, without what is no character."""
    return text[:most].encode("utf-8", "replace").decode()


def _tell(job: ActiveJob, what: str, text: str, level: int = logging.WARNING) -> None:
    """Logs how a handler ended that did not return, with the first line of the error."""
    if job.stop_reason == "cancel":
        what = "was cancelled"
    log.log(level, "job %s of kind %s %s: %s", job.id, job.kind, what, text.partition("\n")[0])


def _unfit(result: object) -> str:
    """Why a result cannot be sent; "" if it can."""
    try:
        size = len(json.dumps(result, ensure_ascii=False, allow_nan=False).encode())
    except Exception as error:  # noqa: BLE001 (what a handler returns may raise anything)
        return f"it is no JSON: {error}"
    return f"it has {size} bytes, at most {_RESULT_MAX} are allowed" if size > _RESULT_MAX else ""


def _describe(error: BaseException) -> str:
    """The error on its first line, which lists show, then where it happened, and what caused it."""
    first = "".join(traceback.format_exception_only(error)).strip()
    return f"{first}\n{''.join(traceback.format_exception(error))}"
