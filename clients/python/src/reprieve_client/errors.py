"""What can go wrong, by what the caller can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .api import Mistake


class ReprieveError(Exception):
    """The server did not do what was asked. Decide by `code`; the text is the server's sentence."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int = 0,
        body: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        #: What happened, as a stable word; `unreachable` if no answer came.
        self.code = code
        #: What happened and what to do, as a sentence that may change.
        self.detail = detail
        #: The HTTP status; 0 if no answer came.
        self.status = status
        #: All members of the problem: for a conflict where the job stands, as `state`, `version` and `due_ms`.
        self.body: Mapping[str, Any] = body or {}
        #: Every mistake of the request, with its place.
        self.errors: list[Mistake] = list(self.body.get("errors", ()))
        #: How long to wait before the next try, in seconds; None if the server did not say.
        self.retry_after = retry_after
        #: The key of the request: after `Unavailable` a repeat under it is done at most once.
        self.idempotency_key: str | None = None

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class Invalid(ReprieveError):
    """The request has mistakes: fix the call."""


class NotAllowed(ReprieveError):
    """The token is missing, ended, or lacks a permission or the queue."""


class NotFound(ReprieveError):
    """There is no such job, or not any more."""


class Conflict(ReprieveError):
    """Nothing was changed, because the job is not as the caller thinks: look again."""


class LeaseLost(Conflict):
    """The job is no longer this worker's: stop, and report nothing."""


class Unavailable(ReprieveError):
    """The server could not be asked, or cannot answer now: it may have done it or not. Repeat under the same key."""


def problem(status: int, body: Mapping[str, Any], retry_after: float | None) -> ReprieveError:
    """The error for an answer that is a problem."""
    code = str(body.get("code", f"http_{status}"))
    detail = str(body.get("detail", f"the answer {status} is not one of Reprieve's; is a proxy in between?"))
    kind = LeaseLost if code == "lease_lost" else _KINDS.get(status, ReprieveError)
    return kind(code, detail, status=status, body=body, retry_after=retry_after)


_KINDS: Mapping[int, type[ReprieveError]] = {
    **dict.fromkeys((400, 413, 414, 415, 422), Invalid),
    **dict.fromkeys((401, 403), NotAllowed),
    404: NotFound,
    409: Conflict,
    # The server is busy or away, or a proxy says that it is.
    **dict.fromkeys((408, 429, 502, 503, 504), Unavailable),
}
