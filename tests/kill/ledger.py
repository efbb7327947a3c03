"""The record of what the server acknowledged, and the interface by which a module adds its checks to the crash test.

A check keeps a ledger: for each name that it writes, the states in which it may be found. An acknowledged write leaves
one state; a write without a response leaves two, before and after, until the next comparison shows which one it is.
"""

import http.client
import json
import random
import threading
from dataclasses import dataclass, field
from pathlib import Path

from support.server import Server


class Killed(Exception):
    """The connection broke: the server was killed, and the result of the request is unknown."""


class Connection:
    """One keep-alive connection of a writer."""

    def __init__(self, port: int, token: str):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.token = token

    def call(self, method: str, path: str, body=None) -> tuple[int, dict | None]:
        headers = {"authorization": f"Bearer {self.token}"}
        if body is not None:
            headers["content-type"] = "application/json"
        try:
            self.http.request(method, "/api/v1" + path, None if body is None else json.dumps(body), headers)
            response = self.http.getresponse()
            data = response.read()
        except (OSError, http.client.HTTPException) as broken:
            raise Killed from broken
        return response.status, json.loads(data) if data else None

    def close(self) -> None:
        self.http.close()


def expect(connection: Connection, method: str, path: str, body=None, statuses=(200, 201, 204)):
    """Makes a call that must succeed; returns its status and body."""
    status, answer = connection.call(method, path, body)
    if status not in statuses:
        raise AssertionError(f"{method} {path} gave {status}: {answer}")
    return status, answer


@dataclass
class World:
    """The arguments of a check: the project's keys, the running server's port, a source of randomness, and when to
    stop."""

    project: str
    key: str  # an API key of scope admin
    data: Path  # the server's data directory
    server: Server  # restarted after each kill
    port: int = 0
    chance: random.Random = field(default_factory=random.Random)
    stopping: threading.Event = field(default_factory=threading.Event)
    acknowledged: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def connect(self) -> Connection:
        return Connection(self.port, self.key)

    def count(self) -> None:
        with self._lock:
            self.acknowledged += 1


class Check:
    """A module's part of the crash test. Subclass it, and add it to CHECKS in checks.py."""

    name = "check"

    def prepare(self, world: World) -> None:
        """Called once, on the running server, before the first round."""

    def writers(self, world: World) -> list:
        """Returns functions f(connection, chance) that make one write per call, each on a thread of its own.
        They may raise Killed."""
        return []

    def verify(self, world: World) -> list[str]:
        """Called after each restart: compares the server with the ledger, resolves unknown results, and returns the
        problems."""
        return []


class States:
    """The ledger of one kind of entry: by name, the states in which it may be (None: absent)."""

    def __init__(self):
        self._lock = threading.Lock()
        self._states: dict[str, list] = {}

    def current(self, name: str):
        """Returns the last state; only for the one writer of the name."""
        return self._states.get(name, [None])[-1]

    def settled(self, name: str) -> bool:
        return len(self._states.get(name, [None])) == 1

    def begin(self, name: str, after) -> None:
        """Records that a write begins."""
        with self._lock:
            self._states[name] = [self._states.get(name, [None])[-1], after]

    def acknowledge(self, name: str) -> None:
        with self._lock:
            self._states[name] = self._states[name][-1:]

    def refuse(self, name: str) -> None:
        """Records that the server refused the write: nothing changed."""
        with self._lock:
            self._states[name] = self._states[name][:1]

    def compare(self, found: dict, what: str) -> list[str]:
        """Returns the problems, and sets the ledger to the states that were found."""
        problems = []
        for name in sorted(set(self._states) | set(found)):
            allowed = self._states.get(name, [None])
            got = found.get(name)
            if not any(got == state for state in allowed):
                kind = "lost" if got is None else "unknown" if allowed == [None] else "other than acknowledged"
                problems.append(f"{what} {name} is {kind}: found {got}, allowed {allowed}")
        self._states = {name: [state] for name, state in found.items()}
        return problems

    def unsettle(self, name: str, *states) -> None:
        """Records, after compare(), that the entry may come to any of these states by itself."""
        with self._lock:
            self._states[name] = list(states)

    def names(self) -> list[str]:
        with self._lock:
            return list(self._states)
