"""Webhooks over kills: the delivery of each acknowledged write arrives at least once, in order per document, with one
id."""

import threading
import time

from kill.ledger import Check, Killed
from support.receiver import Receiver
from support.server import SLOW


class Hooks(Check):
    """Documents whose changes count up; each has one writer. The receiver outlives the server, and refuses now and
    then."""

    name = "hooks"
    collection = "hooked"
    threads = 3
    patience = 60

    def __init__(self):
        self.receiver = Receiver()
        self.receiver.answers["/told"] = [self.answer]
        self.lock = threading.Lock()
        self.serial = 0
        self.alive: dict[str, int] = {}  # by document, its last acknowledged change
        self.unsure: dict[str, tuple] = {}  # the change without a response
        self.wanted: set[tuple] = set()  # (document, change): acknowledged and not seen to arrive yet
        self.arrived: dict[str, list] = {}  # by document, its changes in the order of arrival
        self.ids: dict[tuple, set] = {}
        self.refused: set[str] = set()
        self.seen = 0

    def answer(self, seen):
        """Refuses every thirtieth event on its first arrival."""
        key = seen.body["id"]
        if sum(key.encode()) % 30 == 0 and key not in self.refused:
            self.refused.add(key)
            return 503
        return 204

    def prepare(self, world):
        connection = world.connect()
        self._expect(connection, "/admin/collections", {"name": self.collection})
        hook = {"name": "hooked", "collection": self.collection, "events": ["insert", "update", "delete"]}
        self._expect(connection, "/admin/webhooks", {**hook, "url": self.receiver.url("/told")})
        connection.close()

    @staticmethod
    def _expect(connection, path, body):
        status, answer = connection.call("POST", path, body)
        if status != 201:
            raise AssertionError(f"{path} gave {status}: {answer}")

    def writers(self, world):
        names = sorted(self.alive)
        return [self._writer(world, names[number :: self.threads]) for number in range(self.threads)]

    def _writer(self, world, own: list):
        def write(connection, chance):
            world.stopping.wait(0.004)
            path = f"/admin/collections/{self.collection}/documents"
            if not own or chance.random() < 0.1:
                with self.lock:
                    self.serial += 1
                    name = f"t{self.serial:07}"
                self._send(world, connection, name, 0, "POST", path, {"id": name, "n": 0})
                own.append(name)
                return
            name = chance.choice(own)
            change = self.alive[name] + 1
            if chance.random() < 0.05:
                own.remove(name)
                self._send(world, connection, name, "deleted", "DELETE", f"{path}/{name}")
                del self.alive[name]
            else:
                self._send(world, connection, name, change, "PATCH", f"{path}/{name}", {"n": change})

        return write

    def _send(self, world, connection, name, change, method, path, body=None):
        try:
            status, answer = connection.call(method, path, body)
        except Killed:
            with self.lock:
                self.unsure[name] = (self.alive.pop(name, None), change)
            raise
        if status == 503:
            if change == 0:
                raise Killed
            return
        if status not in (200, 201, 204):
            raise AssertionError(f"{method} {path} gave {status}: {answer}")
        self.alive[name] = change
        with self.lock:
            self.wanted.add((name, change))
        world.count()

    def verify(self, world):
        self._settle(world)
        limit = time.monotonic() + self.patience * SLOW
        while True:
            problems = self._take()
            missing = {each for each in self.wanted if each[1] not in self.arrived.get(each[0], [])}
            if problems or not missing:
                break
            if time.monotonic() > limit:
                some = sorted(missing, key=str)[:5]
                return [f"{len(missing)} acknowledged changes never arrived, such as {some}"]
            time.sleep(0.02)
        self.wanted.clear()
        return problems

    def _settle(self, world):
        """Finds the result of the writes without a response: written or not."""
        connection = world.connect()
        for name, (before, change) in self.unsure.items():
            status, answer = connection.call("GET", f"/admin/collections/{self.collection}/documents/{name}")
            now = answer["document"]["n"] if status == 200 else "deleted" if before is not None else None
            if now == change:
                self.wanted.add((name, change))
            if isinstance(now, int):
                self.alive[name] = now
        self.unsure.clear()
        connection.close()

    def _take(self) -> list[str]:
        """Compares the new arrivals with the order of each document's changes."""
        with self.receiver.changed:
            new = self.receiver.received[self.seen :]
            self.seen = len(self.receiver.received)
        problems = []
        for each in new:
            body = each.body
            name = body["documentId"]
            change = "deleted" if body["event"] == "delete" else body["document"]["n"]
            self.ids.setdefault((name, change), set()).add(body["id"])
            if len(self.ids[name, change]) > 1:
                problems.append(f"{name} {change} came under the ids {self.ids[name, change]}")
            known = self.arrived.setdefault(name, [])
            if change in known:
                continue
            if known and (known[-1] == "deleted" or (change != "deleted" and change != known[-1] + 1)):
                problems.append(f"{name}: {change} came after {known[-5:]}")
            known.append(change)
        return problems
