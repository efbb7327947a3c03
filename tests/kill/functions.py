"""Functions over kills of the server and of workers: the post function of each acknowledged write runs at least once,
no write bypasses a pre-hook, and no worker survives its server."""

import os
from pathlib import Path

from kill.counted_documents import CountedDocuments
from kill.ledger import expect
from support.waiting import NotInTime, wait_until

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


class Functions(CountedDocuments):
    """A pre-hook that refuses some changes and marks the others, a post function that records each change, and a
    killer of workers."""

    name = "functions"
    collection = "worked"
    prefix = "w"
    creates = 0.2
    patience = 90

    def __init__(self):
        super().__init__()
        self.workers: set[tuple] = set()  # all workers seen so far
        self.killed = 0

    def prepare(self, world):
        connection = world.connect()
        for name in (self.collection, "marks"):
            expect(connection, "POST", "/admin/collections", {"name": name})
        trigger = {"type": "database", "collection": self.collection, "events": ["insert", "update", "delete"]}
        for name, timing, code in (("guard", "pre", GUARD), ("mark", "post", MARK)):
            body = {"name": name, "trigger": trigger, "timing": timing, "code": code}
            expect(connection, "POST", "/admin/functions", body)
        connection.close()

    def forbids(self, change) -> bool:
        return isinstance(change, int) and change % 7 == 3

    def may_refuse(self, change, status, body) -> bool:
        # The hook refused, or its worker was killed: nothing was written in either case.
        by_hook = status == 400 and (self.forbids(change) or "so nothing was written" in body["error"]["message"])
        return by_hook or super().may_refuse(change, status, body)

    def writers(self, world):
        return [*super().writers(world), self._killer(world)]

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

    def verify(self, world):
        connection = world.connect()
        survivors = self.workers & (workers_of(0) - workers_of(world.server.process.pid))
        self.workers.clear()
        problems = [f"workers outlived their server: {sorted(survivors)}"] if survivors else []
        documents = self._all(connection, self.collection)
        for document in documents.values():
            if self.forbids(document["n"]) or document.get("checked") != document["n"]:
                problems.append(f"{document} was stored past its pre-hook")
        self.settle(documents.get)
        try:
            wait_until(lambda: problems or self._are_marked(connection), self.patience)
        except NotInTime:
            problems.append(self.never_seen(self.wanted, "were never marked"))
        connection.close()
        return problems

    def _all(self, connection, collection: str) -> dict:
        found = {}
        while True:
            path = f"/admin/collections/{collection}/documents?limit=1000&skip={len(found)}"
            _, page = expect(connection, "GET", path)
            found.update({each["id"]: each for each in page["documents"]})
            if len(page["documents"]) < 1000:
                return found

    def _are_marked(self, connection) -> bool:
        for mark in self._all(connection, "marks").values():
            change = mark["change"]
            self.wanted.discard((mark["of"], change if change == "deleted" else int(change)))
        return not self.wanted
