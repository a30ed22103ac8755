"""A Reprieve of the tests' own, with its own Redis, on this machine alone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path


class Server:
    def __init__(self) -> None:
        program = os.environ.get("REPRIEVE")
        if not program:
            raise RuntimeError("REPRIEVE must name the program: see CONTRIBUTING.md, `cargo xtask clients`")
        self._program = program
        self._folder = tempfile.TemporaryDirectory(prefix="reprieve-client-")
        self.url = ""
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Server:
        """Starts it, at the same address as before if it ran before."""
        folder = Path(self._folder.name)
        listen = self.url.removeprefix("http://") or "127.0.0.1:0"
        with (folder / "out").open("wb") as out, (folder / "log").open("ab") as log_file:
            self._process = subprocess.Popen(
                [self._program, "serve", "--listen", listen, "--login", "off"],
                cwd=folder,
                stdout=out,
                stderr=log_file,
            )
        for _ in range(600):
            if found := re.search(r"dashboard\s+(http://\S+)", (folder / "out").read_text()):
                self.url = found[1]
                return self
            if self._process.poll() is not None:
                break
            # The program says where it listens; nothing tells us that it has said so.
            time.sleep(0.05)
        raise RuntimeError(f"the server did not start: {(folder / 'log').read_text()}")

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(30)

    def token(self, name: str, *permissions: str) -> str:
        """A new token with these permissions."""
        words = [word for permission in permissions for word in ("--may", permission)]
        command = [self._program, "token", "add", name, *words]
        said = subprocess.run(command, cwd=self._folder.name, capture_output=True, text=True, check=True).stdout
        found = re.search(r"rpv_\S+", said)
        assert found, said
        return found[0]

    def close(self) -> None:
        self.stop()
        self._folder.cleanup()
