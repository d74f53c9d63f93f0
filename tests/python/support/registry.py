"""A local server that answers as a Confluent registry does."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[int], tuple[int, Any]]
"""The status and body of the nth request, from 1; bytes are sent as they are; a redirect's body is where it leads."""


class Server:
    """A registry on a free port, which counts the requests and keeps the last one's headers."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[str] = []
        self.headers: dict[str, str] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                outer.headers = dict(self.headers.items())
                status, body = answer(len(outer.asked))
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
                    self.send_header("Content-Length", str(len(data)))
                    if 300 <= status < 400:
                        self.send_header("Location", body)
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass  # who asked has gone

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"


@contextmanager
def registry(answer: Answer, context: ssl.SSLContext | None = None) -> Iterator[Server]:
    server = Server(answer)
    if context is not None:
        server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
    thread = threading.Thread(target=server.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.server.shutdown()
        server.server.server_close()
