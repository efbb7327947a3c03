"""Another service: a real HTTP server that stores its requests and responds as a test says, correctly or not."""

import json
import socket
import threading
import time
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from support.http_stand_in import StandInHandler, StandInServer


@dataclass
class Asked:
    method: str
    target: str  # as on the wire
    headers: dict  # names in lower case
    raw: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict:
        return parse_qs(urlsplit(self.target).query, keep_blank_values=True)

    @property
    def body(self):
        return json.loads(self.raw)


class Upstream:
    """Listens on 127.0.0.1. `answers[path]` is the response: (status, headers, body), where a body that is not bytes is
    sent as JSON; bytes, sent unchanged before the connection is closed; or a function of the request and the open
    socket that returns one of these, or None if it has used the socket itself. 404 for other paths."""

    def __init__(self):
        self.asked: list[Asked] = []
        self.answers: dict = {}
        self.connections = 0
        self.lock = threading.Lock()
        upstream = self

        class Handler(StandInHandler):
            def setup(self):
                super().setup()
                with upstream.lock:
                    upstream.connections += 1

            def handle_any(self):
                raw = self.body()
                headers = self.lower_headers()
                asked = Asked(self.command, self.path, headers, raw)
                with upstream.lock:
                    upstream.asked.append(asked)
                answer = upstream.answer(asked)
                if callable(answer):
                    answer = answer(asked, self.connection)
                if answer is None:
                    self.close_connection = True
                elif isinstance(answer, bytes):
                    self.connection.sendall(answer)
                    self.close_connection = True
                else:
                    status, headers, body = answer
                    self.reply(status, body, headers)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

        self.http = StandInServer(Handler)
        self.port = self.http.server_port

    @property
    def url(self) -> str:
        return self.http.url

    def answer(self, asked: Asked):
        return self.answers.get(asked.path, (404, {}, b""))

    def at(self, path: str) -> list[Asked]:
        with self.lock:
            return [each for each in self.asked if each.path == path]

    def close(self) -> None:
        self.http.close()


# ---- failures on the way


def silence(seconds: float):
    """Sends nothing for that time, or until the other side closes; then closes."""

    def answer(_asked, connection: socket.socket):
        connection.settimeout(seconds)
        try:
            connection.recv(1)
        except OSError:
            pass

    return answer


def drip(seconds: float):
    """Sends a response of a byte at a time, without end."""

    def answer(_asked, connection: socket.socket):
        end = time.monotonic() + seconds
        try:
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
            connection.settimeout(0.1)
            while time.monotonic() < end:
                connection.sendall(b"x")
                try:
                    if not connection.recv(1):
                        return
                except TimeoutError:
                    pass
        except OSError:
            pass

    return answer


def endless(_asked, connection: socket.socket):
    """A body without a length that never ends."""
    try:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
        for _ in range(10_000):
            connection.sendall(b"x" * 65536)
    except OSError:
        pass
