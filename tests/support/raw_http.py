"""HTTP by hand, for requests that no well-behaved client sends."""

import socket
import time
from dataclasses import dataclass, field

from support.waiting import SLOW


@dataclass
class RawAnswer:
    status: int
    headers: dict = field(default_factory=dict)
    body: bytes = b""


class RawConnection:
    """One TCP connection; read_answer() returns one response after another, None once the server has closed it."""

    def __init__(self, server, seconds: float = 10):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=seconds * SLOW)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data: bytes) -> "RawConnection":
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # The server may have responded and closed before it has read everything.
        return self

    def _fill(self) -> bool:
        try:
            more = self.socket.recv(65536)
        except ConnectionError:
            return False
        self.buffer += more
        return bool(more)

    def read_answer(self, head_only: bool = False) -> RawAnswer | None:
        while b"\r\n\r\n" not in self.buffer:
            if not self._fill():
                return None
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        answer = RawAnswer(int(lines[0].split()[1]))
        for line in lines[1:]:
            name, _, value = line.partition(":")
            answer.headers[name.lower()] = value.strip()
        length = 0 if head_only or answer.status in (204, 304) else int(answer.headers.get("content-length", "0"))
        while len(self.buffer) < length:
            if not self._fill():
                raise AssertionError(f"the response stops after {len(self.buffer)} of {length} bytes")
        answer.body, self.buffer = self.buffer[:length], self.buffer[length:]
        return answer

    def closed_within(self, seconds: float) -> bool:
        """Returns whether the server closes the connection in that time; drops bytes that it still sends."""
        limit = time.monotonic() + seconds * SLOW
        while (left := limit - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                if not self.socket.recv(65536):
                    return True
            except ConnectionError:
                return True
            except TimeoutError:
                return False
        return False


def raw(server, data: bytes) -> RawAnswer | None:
    """Returns the first response to these bytes on a new connection."""
    with RawConnection(server) as connection:
        return connection.send(data).read_answer()
