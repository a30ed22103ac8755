"""Generated from the OpenAPI document by `cargo xtask clients --generate`; not edited by hand."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class Act(TypedDict):
    """
    What is said about an act; may be left out.
    """

    reason: NotRequired[str | None]
    """
    Why; stands in the job's history. At most 1,024 bytes.
    """
    version: NotRequired[int | None]
    """
    The version that was seen: if the job has changed since, nothing happens.
    """


class ActAtTime(TypedDict):
    """
    What is said about an act that may name a time: one of `due_at`, `due_ms`, `delay_ms`.
    """

    delay_ms: NotRequired[int | None]
    """
    How long from now, in ms.
    """
    due_at: NotRequired[str | None]
    """
    When, in RFC 3339.
    """
    due_ms: NotRequired[int | None]
    """
    When, in ms since 1970.
    """
    reason: NotRequired[str | None]
    """
    Why; stands in the job's history. At most 1,024 bytes.
    """
    version: NotRequired[int | None]
    """
    The version that was seen: if the job has changed since, nothing happens.
    """


class Attempt(TypedDict):
    """
    One past attempt.
    """

    ended_ms: int
    """
    When it ended.
    """
    error: str
    """
    Why it failed; empty when it went well.
    """
    number: int
    """
    1 for the first.
    """
    result: str
    """
    `done`, `failed`, `snoozed`, `released`, `stalled`, `unheard` or `cancelled`.
    """
    started_ms: int
    """
    When it began.
    """
    worker: str
    """
    Who ran it.
    """


class Claim(TypedDict):
    """
    What a worker wants.
    """

    lease_ms: NotRequired[int | None]
    """
    How long they are the worker's unless it extends them, in ms; a minute without it.
    """
    most: NotRequired[int | None]
    """
    How many jobs at most; 1 without it.
    """
    wait_ms: NotRequired[int | None]
    """
    How long to wait for a job if there is none, in ms; not at all without it. The client's own time limit must be
    longer.
    """
    worker: NotRequired[str | None]
    """
    Who claims, for the job's page; `http` without it. 1 to 64 bytes of `A-Z a-z 0-9 . _ -`. A claim that waits ends
    the older waiting ones of the same name and queue, which answer that there is nothing: threads that wait beside each
    other need names of their own.
    """


class Completion(TypedDict):
    """
    How a job went well.
    """

    result: NotRequired[Any]
    """
    What the job came to: any JSON, stored as the very text that was sent; at most 64 KiB, 64 levels, 50,000 values, no
    key twice. Nothing is kept for `null`, or without it.
    """
    token: int
    """
    The token that came with the job.
    """


class Extension(TypedDict):
    """
    A new end of a lease.
    """

    lease_ms: NotRequired[int | None]
    """
    How long from now, in ms; a minute without it.
    """
    token: int
    """
    The token that came with the job.
    """


class Failure(TypedDict):
    """
    How an attempt failed.
    """

    error: NotRequired[str | None]
    """
    What went wrong; at most 8 KiB are kept.
    """
    fatal: NotRequired[bool | None]
    """
    No retry mends it: the job is dead. `false` without it.
    """
    retry_in_ms: NotRequired[int | None]
    """
    How long to wait before the next attempt, in ms; as the default policy says without it.
    """
    token: int
    """
    The token that came with the job.
    """


class Lateness(TypedDict):
    """
    How late a job may start.
    """

    most_ms: int
    """
    The longest it may be late, in ms.
    """
    then: NotRequired[Literal['skip', 'dead', 'run'] | None]
    """
    What becomes of it then: `skip` (without it), `dead` or `run`.
    """


class Mistake(TypedDict):
    """
    One mistake in a request, with the place it is at.
    """

    code: str
    """
    What is wrong, as a stable word.
    """
    detail: str
    """
    What is wrong, as a sentence.
    """
    parameter: NotRequired[str | None]
    """
    Name of the query parameter; empty for a mistake of the body.
    """
    pointer: NotRequired[str | None]
    """
    JSON pointer (RFC 6901) into the body; empty for a mistake of the address.
    """


class Payload(TypedDict):
    """
    How a payload looks in an answer.
    """

    payload: NotRequired[Any]
    """
    The very JSON that was enqueued; `"•••• (hidden)"` in place of what a rule hides, and of all of it without the
    permission `jobs.payload`.
    """
    payload_base64: NotRequired[str | None]
    """
    Instead of it, in base64, if the bytes are not JSON.
    """


class Problem(TypedDict):
    """
    Whatever is not what was asked for: an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problem. Decide by
    `code`; the sentences may change.
    """

    code: str
    """
    What happened, as a stable word.
    """
    detail: str
    """
    What happened and what to do, as a sentence.
    """
    errors: NotRequired[list[Mistake] | None]
    """
    The mistakes of the request that were found, up to 100.
    """
    status: int
    """
    The status of the answer.
    """
    title: str
    """
    What happened, in a few words.
    """
    type: str
    """
    A URN of the code.
    """


class Publication(TypedDict):
    """
    Where the latest attempt was handed to, and who took it there.
    """

    entry: str
    """
    The id of the stream's entry or of asynq's task; for a list that of the job.
    """
    group: str | None
    """
    The consumer group; null where there is none.
    """
    place: str
    """
    The key of the stream or list, or the name of asynq's queue.
    """
    published_ms: int
    """
    When it was published.
    """
    sink: str
    """
    The sink, by its name in the configuration.
    """
    taken_by: str | None
    """
    Who took it, as far as the place tells; null while nobody was seen to.
    """
    taken_ms: int | None
    """
    Since when they have it; null like `taken_by`.
    """
    type: str
    """
    `stream`, `list` or `asynq`.
    """


class Reason(TypedDict):
    """
    Why somebody acts; may be left out.
    """

    reason: NotRequired[str | None]
    """
    At most 1,024 bytes.
    """


class Report(TypedDict):
    """
    Proves a lease.
    """

    token: int
    """
    The token that came with the job.
    """


class Reported(TypedDict):
    """
    What became of a report.
    """

    cancel_requested: NotRequired[bool | None]
    """
    Extending only: somebody asked for the job to stop.
    """
    outcome: str
    """
    `done`, `retrying`, `dead`, `cancelled`, `ready`, `delayed`, `plan_held` (held with its plan, instead of retrying,
    ready or delayed), `ended` (given back too often: it is dead), or `held` for an extended lease.
    """


class Snooze(TypedDict):
    """
    When a job is to be offered again.
    """

    delay_ms: int
    """
    How long from now, in ms.
    """
    reason: NotRequired[str | None]
    """
    Why; stands in the job's history. At most 1,024 bytes.
    """
    token: int
    """
    The token that came with the job.
    """


State: TypeAlias = Literal['delayed', 'held', 'ready', 'active', 'retrying', 'done', 'dead', 'cancelled']
"""
The eight states of a job.
"""


class Unique(TypedDict):
    """
    A key that at most one live job holds. Keys of `throttle` are separate: a window ignores who holds the same key.
    """

    by: NotRequired[Literal['content'] | None]
    """
    `content` instead of a key: the same kind and payload are the same work.
    """
    key: NotRequired[str | None]
    """
    The key. 1 to 128 bytes of `A-Z a-z 0-9 . _ : / @ -`.
    """
    max_wait_ms: NotRequired[int | None]
    """
    How long a `debounce` may put the job off, in ms from its first enqueueing; for ever without it.
    """
    mode: NotRequired[Literal['while_live', 'throttle', 'debounce'] | None]
    """
    Who wins when a second job names it: the first while it is live (`while_live`, without it), the first for all
    of `ttl_ms` (`throttle`), or the last (`debounce`).
    """
    ttl_ms: int
    """
    For how long at most, in ms; it is freed earlier when the job ends, but for a `throttle`.
    """


Change = TypedDict(
    'Change',
    {
        'at_ms': int,
        'by': str,
        'due_ms': int,
        'edited': bool,
        'from': State | None,
        'parts': str,
        'reason': str,
        'to': State,
        'version': int,
    },
)


class ClaimedJob(Payload):
    """
    A job as a worker gets it.
    """

    attempt: int
    """
    1 for the first attempt.
    """
    created_ms: int
    """
    When it was enqueued.
    """
    due_ms: int
    """
    When it was due.
    """
    headers: dict[str, str]
    """
    The producer's texts.
    """
    id: str
    """
    The job.
    """
    kind: str
    """
    What sort of work it is.
    """
    lease_until_ms: int
    """
    End of the lease unless it is extended: the job is tried again then.
    """
    max_attempts: int | None
    """
    How many are allowed; null is unlimited.
    """
    queue: str
    """
    Its queue.
    """
    subject: str | None
    """
    What it is about; null when the caller named nothing.
    """
    timeout_ms: int | None
    """
    How long this attempt should take at most; null when nobody said.
    """
    token: int
    """
    Proves the lease in every report, and grows with every attempt.
    """


class Job(Payload):
    """
    One job with all that is kept of it.
    """

    attempt: int
    """
    How many attempts have begun and counted.
    """
    attempts: list[Attempt]
    """
    Past attempts, newest first, at most 20.
    """
    by: str
    """
    Who made the latest change.
    """
    cancel_requested_ms: int | None
    """
    When somebody asked the running attempt to stop.
    """
    cancelled_from: State | None
    concurrency_key: str | None
    """
    Whose job it is: jobs with the same key share the limit for each key of their queue; null when the caller named none.
    """
    created_ms: int
    """
    When it was enqueued.
    """
    due_ms: int
    """
    When it is, or was last, to run.
    """
    ended_ms: int | None
    """
    When it ended; null while it lives.
    """
    headers: dict[str, str]
    """
    The caller's texts, handed to the handler.
    """
    history: list[Change]
    """
    Its changes, newest first, at most 50.
    """
    id: str
    """
    The job.
    """
    kept_until_ms: int | None
    """
    Until when an ended job is kept at least; null while it lives.
    """
    kind: str
    """
    What sort of work it is.
    """
    last_error: str
    """
    Text of the latest failure; empty when none. Its first line alone without the permission `jobs.errors`,
    `•••• (hidden)` without `jobs.payload`; so are the errors of attempts.
    """
    lease_until_ms: int | None
    """
    End of the present lease; null unless active.
    """
    log_lines: int
    """
    How many log lines it ever wrote; `GET /api/v1/jobs/{id}/log` has the last 1,000.
    """
    max_attempts: int | None
    """
    How many are allowed; null is unlimited.
    """
    priority: int
    """
    0 runs first, 9 last, among ready jobs of the queue.
    """
    progress: Any
    """
    How far it is by its own word: `percent`, `text`, `at` and `attempt`; null when it never said.
    """
    publication: NotRequired[Publication | None]
    queue: str
    """
    The queue it belongs to for life.
    """
    read_at_ms: int
    """
    When this was read, by Redis's clock.
    """
    reason: str
    """
    Why; empty when nothing was said.
    """
    result: Any
    """
    What it came to: JSON, or bytes in base64 as a text; null when its handler kept nothing.
    """
    retention_ms: int | None
    """
    How long it is kept once ended; null is the rule of its end state.
    """
    stalls: int
    """
    How often its lease ran out after its worker was heard of; three such stalls make it dead.
    """
    started_ms: int | None
    """
    When the latest attempt began; null before the first.
    """
    state: State
    """
    Where it stands.
    """
    subject: str | None
    """
    What it is about; null when the caller named nothing.
    """
    tags: list[str]
    """
    The caller's labels.
    """
    timeout_ms: int | None
    """
    How long one attempt may take; null is the worker's limit.
    """
    unheard: int
    """
    How often in a row it was claimed and nothing was ever heard of it; the fifth time it is dead.
    """
    unique_key: str | None
    """
    The key it holds while it lives.
    """
    version: int
    """
    How often it has changed.
    """
    worker: str | None
    """
    The worker of the latest attempt; null before the first.
    """


class NewJob(TypedDict):
    """
    A job to be enqueued. Only `kind` is required.
    """

    any_window: NotRequired[bool | None]
    """
    Runs at any time, whatever the delivery windows of its kind; `false` without it.
    """
    concurrency_key: NotRequired[str | None]
    """
    Whose job it is (a tenant, say): jobs with the same key share the limit for each key of their queue.
    """
    delay_ms: NotRequired[int]
    """
    How long from now, in ms, measured on Redis's clock.
    """
    due_at: NotRequired[str]
    """
    When it is to run, in RFC 3339. One of `due_at`, `due_ms`, `delay_ms`; at once without any of them.
    """
    due_ms: NotRequired[int]
    """
    When it is to run, in ms since 1970.
    """
    headers: NotRequired[dict[str, str]]
    """
    Texts by name, 8 KiB in all; `traceparent` and `tracestate` travel on as HTTP headers.
    """
    id: NotRequired[str | None]
    """
    Your own name for it: a repeat under the same id answers `exists` and changes nothing. A new UUIDv7 without it.
    """
    kind: str
    """
    What sort of work it is; chooses the handler or webhook. 1 to 64 bytes of `A-Z a-z 0-9 . _ -`.
    """
    lateness: NotRequired[Lateness | None]
    max_attempts: NotRequired[int | None]
    """
    How many attempts; `null` is unlimited, 25 without it.
    """
    payload: NotRequired[Any]
    """
    Any JSON, stored as the very text that was sent; at most 256 KiB, 64 levels, 50,000 values, no key twice.
    """
    payload_base64: NotRequired[str | None]
    """
    Bytes instead of JSON, in base64; not together with `payload`.
    """
    priority: NotRequired[int | None]
    """
    0 (first) to 9 (last) among ready jobs; 5 without it.
    """
    queue: NotRequired[str | None]
    """
    Where it waits for a worker; `default` without it.
    """
    replace: NotRequired[bool | None]
    """
    Overwrite a waiting job of the same id and queue; `false` without it.
    """
    retention_ms: NotRequired[int | None]
    """
    How long it is kept once ended, in ms; the rule of its end state without it.
    """
    spread_ms: NotRequired[int | None]
    """
    Due later by a part of that many ms, always the same for an id.
    """
    subject: NotRequired[str | None]
    """
    What it is about: any text without control characters; at most 1,000 live jobs share one. Other signs
    than `A-Z a-z 0-9 . _ : / @ -` are kept as `@` and two hexadecimal digits for each byte, and then so
    is each `@`.
    """
    tags: NotRequired[list[str] | None]
    """
    At most 16 labels, each like a kind.
    """
    timeout_ms: NotRequired[int | None]
    """
    How long one attempt may take, in ms; the worker's limit without it.
    """
    unique: NotRequired[Unique | None]


class Standing(TypedDict):
    """
    Where a job stands after a verb was tried on it.
    """

    at_ms: int
    """
    When this answer was made, by Redis's clock.
    """
    due_ms: int
    """
    Its due time now, in ms since 1970.
    """
    ended_ms: int | None
    """
    When it ended; null while it lives.
    """
    id: str
    """
    The job.
    """
    note: NotRequired[str | None]
    """
    Enqueueing only: said when the job runs at another time than its producer may think.
    """
    outcome: str
    """
    What became of it, as a word.
    """
    started_ms: int | None
    """
    When its latest attempt began; null before the first.
    """
    state: State
    """
    Its state now.
    """
    version: int
    """
    Its version now: what the next act may name as seen.
    """
    worker: str | None
    """
    Who has it, or had it last; null before the first attempt.
    """


class SubjectJob(Standing):
    """
    What became of one job of a subject.
    """

    queue: str
    """
    Its queue.
    """


class Claimed(TypedDict):
    """
    The claimed jobs; none when nothing is ready, or the worker is to be quiet.
    """

    items: list[ClaimedJob]
    order: str
    """
    What people told the worker: `resume`, which is what one without orders does, or `quiet`: while it is told that
    it is given nothing, and may end when it has finished what it has.
    """


class SubjectCancelled(TypedDict):
    """
    What became of the jobs of a subject.
    """

    jobs: list[SubjectJob]
    """
    One entry for each live job, by due time.
    """
    outcome: str
    """
    `cancelled`.
    """
