"""A real redis-server of a test, on a free port. Each start is empty."""

import os
import shutil
import signal
import socket
import subprocess

from support.ports import free_port
from support.waiting import wait_until

BINARY = shutil.which("redis-server")


class RedisServer:
    def __init__(self, folder):
        assert BINARY, "redis-server is not installed: scripts/packages.txt names its package"
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [BINARY, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
            + ["--dir", str(self.folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        wait_until(self._responds, 20, "redis-server does not respond")

    def _responds(self) -> bool:
        try:
            return self.say("PING").startswith(b"+PONG")
        except OSError:
            return False

    def say(self, *command: str) -> bytes:
        """Returns the first bytes of the reply to a command."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            parts = [part.encode() for part in command]
            connection.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
            return connection.recv(65536)

    def kill(self) -> None:
        if self.process:
            os.kill(self.process.pid, signal.SIGCONT)
            self.process.kill()
            self.process.wait()
            self.process = None

    def pause(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)
