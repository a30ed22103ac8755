"""Enqueue, cancel and work on the delayed jobs of a Reprieve server."""

from .api import ClaimedJob, Job, NewJob, Standing, State, SubjectCancelled
from .client import Client
from .errors import Conflict, Invalid, LeaseLost, NotAllowed, NotFound, ReprieveError, Unavailable
from .worker import ActiveJob, Fatal, Retry, Snooze, Stopped, Worker

__all__ = [
    "ActiveJob",
    "ClaimedJob",
    "Client",
    "Conflict",
    "Fatal",
    "Invalid",
    "Job",
    "LeaseLost",
    "NewJob",
    "NotAllowed",
    "NotFound",
    "ReprieveError",
    "Retry",
    "Snooze",
    "Standing",
    "State",
    "Stopped",
    "SubjectCancelled",
    "Unavailable",
    "Worker",
]
