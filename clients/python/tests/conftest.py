from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from server import Server

from reprieve_client import Client


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The server of all tests that do not stop it; each test has ids and queues of its own."""
    server = Server()
    try:
        yield server.start()
    finally:
        server.close()


@pytest.fixture
def client(server: Server) -> Client:
    return Client(server.url)


def until(met: Callable[[], bool], seconds: float = 20) -> None:
    """Waits for what the server shows; it sends no notice to wait for."""
    deadline = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
