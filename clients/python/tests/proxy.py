"""A proxy that loses answers."""

from __future__ import annotations

import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Proxy:
    """Passes requests on. To the first it answers as `loses` says: not at all, or with a page of its own."""

    def __init__(self, target: str, loses: str) -> None:
        self.keys: list[str | None] = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                key = self.headers["Idempotency-Key"]
                proxy.keys.append(key)
                headers = {"Content-Type": "application/json", "Idempotency-Key": key}
                request = urllib.request.Request(target + self.path, body, headers)
                with urllib.request.urlopen(request, timeout=10) as answer:
                    status, text = answer.status, answer.read()
                if len(proxy.keys) == 1:
                    if loses == "answer":
                        self.close_connection = True
                        return
                    status, text = 502, b"<h1>Bad Gateway</h1>"
                self.send_response(status)
                if status == 502:
                    self.send_header("Retry-After", "1")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
