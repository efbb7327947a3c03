"""A realtime socket that each kill closes and that resumes from its last position: it gets every acknowledged create
once, and never a gap.
"""

import json
import threading

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect

from kill.ledger import Check, Killed
from support.waiting import SLOW


class LiveSockets(Check):
    name = "live sockets"
    collection = "live"
    patience = 20  # seconds without an event after which what is owed counts as lost

    def __init__(self):
        self.lock = threading.Lock()
        self.serial = 0
        self.owed: set[str] = set()  # acknowledged, and not received yet
        self.received: set[str] = set()
        self.position = None
        self.problems: list[str] = []

    def prepare(self, world):
        connection = world.connect()
        for method, path, body in (
            ("POST", "/admin/collections", {"name": self.collection}),
            ("PUT", f"/admin/collections/{self.collection}/policy", {"read": {"filter": {"kind": "seen"}}}),
        ):
            status, answer = connection.call(method, path, body)
            assert status in (201, 204), answer
        socket = self._follow(world)
        self._create(world, connection, "first")
        self._take(socket, 20)
        socket.close()
        connection.close()

    def writers(self, world):
        return [self._write(world), self._write(world), self._listen(world)]

    def _write(self, world):
        def write(connection, chance):
            with self.lock:
                self.serial += 1
                name = f"live{self.serial:08}"
            if chance.random() < 0.2:
                body = {"id": name, "kind": "unseen"}
                connection.call("POST", f"/admin/collections/{self.collection}/documents", body)
            else:
                self._create(world, connection, name)

        return write

    def _create(self, world, connection, name: str) -> None:
        body = {"id": name, "kind": "seen"}
        status, answer = connection.call("POST", f"/admin/collections/{self.collection}/documents", body)
        if status == 503:
            return
        if status != 201:
            raise AssertionError(f"a create gave {status}: {answer}")
        with self.lock:
            if name not in self.received:
                self.owed.add(name)
        world.count()

    def _listen(self, world):
        socket = None

        def listen(_connection, _chance):
            nonlocal socket
            try:
                socket = socket or self._follow(world)
                self._take(socket, 0.1)
            except (OSError, EOFError, ConnectionClosed, InvalidHandshake) as broken:
                raise Killed from broken

        return listen

    def _follow(self, world):
        address = f"ws://127.0.0.1:{world.port}/api/v1/realtime"
        socket = connect(address, proxy=None, max_queue=None, open_timeout=20 * SLOW).__enter__()
        subscribe = {"type": "subscribe", "id": "s", "collection": self.collection}
        if self.position:
            subscribe["after"] = self.position
        for message, answer in (({"type": "auth", "token": world.key}, "auth_ok"), (subscribe, "subscribed")):
            socket.send(json.dumps(message))
            got = json.loads(socket.recv(timeout=20 * SLOW))
            assert got["type"] == answer, got
        return socket

    def _take(self, socket, seconds: float) -> str | None:
        """Returns the id of the next document that is received; None if none arrives in time."""
        try:
            message = json.loads(socket.recv(timeout=seconds * SLOW))
        except TimeoutError:
            return None
        if message["type"] != "event":
            self.problems.append(f"the server sent {message}")
            return None
        name = message["event"]["documentId"]
        with self.lock:
            if name in self.received or message["event"]["document"]["kind"] != "seen":
                self.problems.append(f"received {name} twice, or an event that must not be sent")
            self.received.add(name)
            self.owed.discard(name)
            self.position = message["position"]
        return name

    def verify(self, world):
        connection = world.connect()
        with self.lock:
            self.serial += 1
            last = f"last{self.serial:08}"
        socket = self._follow(world)
        self._create(world, connection, last)
        while (name := self._take(socket, self.patience)) != last:
            if name is None:
                break
        socket.close()
        connection.close()
        problems, self.problems = self.problems, []
        problems += [f"{name} was acknowledged and never received" for name in sorted(self.owed)]
        self.owed.clear()
        self.received.clear()
        return problems
