"""Functions over kills of the server and of workers: the post function of each acknowledged write runs at least once,
no write bypasses a pre-hook, and no worker survives its server."""

import os
import threading
import time
from pathlib import Path

from kill.ledger import Check, Killed
from support.server import SLOW

GUARD = """export default function handler(event) {
  if (event.event === "delete") return;
  if (event.document.n % 7 === 3) return { abort: true, reason: "n is not allowed" };
  return { document: { ...event.document, checked: event.document.n } };
}
"""
MARK = """export default async function handler(event, ctx) {
  const change = event.event === "delete" ? "deleted" : String(event.document.n);
  await ctx.db.insertOne("marks", { of: event.documentId, change });
}
"""


def workers_of(server: int) -> set[tuple]:
    """Returns the worker processes of a server, each with its id and the time of its start."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        name = text[text.index("(") + 1 : text.rindex(")")]
        fields = text[text.rindex(")") + 2 :].split()
        if name.startswith("manybase-worke") and fields[0] != "Z" and (server == 0 or int(fields[1]) == server):
            found.add((int(stat.parent.name), fields[19]))
    return found


class Functions(Check):
    """Documents with one writer each, whose changes count up; a post function marks each change."""

    name = "functions"
    collection = "worked"
    threads = 3
    patience = 90

    def __init__(self):
        self.lock = threading.Lock()
        self.serial = 0
        self.alive: dict[str, int] = {}  # by document, its last acknowledged change
        self.unsure: dict[str, tuple] = {}  # the change without a response
        self.wanted: set[tuple] = set()  # acknowledged, and not seen to be marked yet
        self.workers: set[tuple] = set()  # all workers seen so far
        self.killed = 0

    def prepare(self, world):
        connection = world.connect()
        for name in (self.collection, "marks"):
            self._expect(connection, "/admin/collections", {"name": name})
        trigger = {"type": "database", "collection": self.collection, "events": ["insert", "update", "delete"]}
        for name, timing, code in (("guard", "pre", GUARD), ("mark", "post", MARK)):
            body = {"name": name, "trigger": trigger, "timing": timing, "code": code}
            self._expect(connection, "/admin/functions", body)
        connection.close()

    @staticmethod
    def _expect(connection, path, body):
        status, answer = connection.call("POST", path, body)
        if status != 201:
            raise AssertionError(f"{path} gave {status}: {answer}")

    def writers(self, world):
        names = sorted(self.alive)
        writing = [self._writer(world, names[number :: self.threads]) for number in range(self.threads)]
        return [*writing, self._killer(world)]

    def _killer(self, world):
        """Collects the workers, and kills one now and then."""

        def look(_connection, chance):
            there = workers_of(world.server.process.pid)
            self.workers |= there
            if there and chance.random() < 0.3:
                try:
                    os.kill(chance.choice(sorted(there))[0], 9)
                    self.killed += 1
                except ProcessLookupError:
                    pass
            world.stopping.wait(0.03)

        return look

    def _writer(self, world, own: list):
        def write(connection, chance):
            world.stopping.wait(0.004)
            path = f"/admin/collections/{self.collection}/documents"
            if not own or chance.random() < 0.2:
                with self.lock:
                    self.serial += 1
                    name = f"w{self.serial:07}"
                if self._send(world, connection, name, 0, "POST", path, {"id": name, "n": 0}):
                    own.append(name)
                return
            name = chance.choice(own)
            change = self.alive[name] + 1
            if change % 7 == 3:
                self._send(world, connection, name, change, "PATCH", f"{path}/{name}", {"n": change})
                change += 1
            if chance.random() < 0.05:
                if self._send(world, connection, name, "deleted", "DELETE", f"{path}/{name}"):
                    own.remove(name)
                    del self.alive[name]
            else:
                self._send(world, connection, name, change, "PATCH", f"{path}/{name}", {"n": change})

        return write

    def _send(self, world, connection, name, change, method, path, body=None) -> bool:
        """Returns whether the change was written."""
        forbidden = isinstance(change, int) and change % 7 == 3
        try:
            status, answer = connection.call(method, path, body)
        except Killed:
            if not forbidden:
                with self.lock:
                    self.unsure[name] = (self.alive.pop(name, None), change)
            raise
        if status == 503:
            return False
        if status == 400:
            # The hook refused, or its worker was killed: nothing was written in either case.
            message = answer["error"]["message"]
            if not forbidden and "so nothing was written" not in message:
                raise AssertionError(f"{method} {path} {body} gave {status}: {answer}")
            return False
        if status not in (200, 201, 204) or forbidden:
            raise AssertionError(f"{method} {path} {body} gave {status}: {answer}")
        self.alive[name] = change
        with self.lock:
            self.wanted.add((name, str(change)))
        world.count()
        return True

    def verify(self, world):
        connection = world.connect()
        survivors = self.workers & (workers_of(0) - workers_of(world.server.process.pid))
        self.workers.clear()
        problems = [f"workers outlived their server: {sorted(survivors)}"] if survivors else []
        problems += self._settle(connection)
        limit = time.monotonic() + self.patience * SLOW
        while not problems and self.wanted:
            self._take(connection)
            if self.wanted and time.monotonic() > limit:
                some = sorted(self.wanted)[:5]
                problems.append(f"{len(self.wanted)} acknowledged changes were never marked, such as {some}")
            time.sleep(0.02)
        connection.close()
        return problems

    def _settle(self, connection) -> list[str]:
        """Finds the result of writes without a response, and checks that every document passed the hook."""
        problems = []
        documents = self._all(connection, self.collection)
        for document in documents.values():
            if document["n"] % 7 == 3 or document.get("checked") != document["n"]:
                problems.append(f"{document} was stored past its pre-hook")
        for name, (before, change) in self.unsure.items():
            found = documents.get(name)
            now = found["n"] if found else "deleted" if before is not None else None
            if now == change:
                self.wanted.add((name, str(change)))
            if isinstance(now, int):
                self.alive[name] = now
        self.unsure.clear()
        return problems

    def _all(self, connection, collection: str) -> dict:
        found = {}
        while True:
            path = f"/admin/collections/{collection}/documents?limit=1000&skip={len(found)}"
            status, answer = connection.call("GET", path)
            if status != 200:
                raise AssertionError(f"{path} gave {status}: {answer}")
            found.update({each["id"]: each for each in answer["documents"]})
            if len(answer["documents"]) < 1000:
                return found

    def _take(self, connection) -> None:
        marks = {(mark["of"], mark["change"]) for mark in self._all(connection, "marks").values()}
        self.wanted -= marks
