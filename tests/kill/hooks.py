"""Webhooks over kills: the delivery of each acknowledged write arrives at least once, in order per document, with one
id."""

from kill.counted_documents import CountedDocuments
from kill.ledger import expect
from support.receiver import Receiver
from support.waiting import NotInTime, wait_until


class Hooks(CountedDocuments):
    """A webhook of all changes. Its receiver outlives the server, and refuses now and then."""

    name = "hooks"
    collection = "hooked"
    prefix = "t"
    patience = 60
    waits = True  # whether verify() waits until all has arrived

    def __init__(self):
        super().__init__()
        self.receiver = Receiver()
        self.receiver.answers["/hooked"] = [self.answer]
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
        expect(connection, "POST", "/admin/collections", {"name": self.collection})
        hook = {"name": "hooked", "collection": self.collection, "events": ["insert", "update", "delete"]}
        expect(connection, "POST", "/admin/webhooks", {**hook, "url": self.receiver.url("/hooked")})
        connection.close()

    def verify(self, world):
        connection = world.connect()

        def read(name: str) -> dict | None:
            status, body = connection.call("GET", f"/admin/collections/{self.collection}/documents/{name}")
            return body["document"] if status == 200 else None

        self.settle(read)
        connection.close()
        if not self.waits:
            return self._take()
        problems: list[str] = []

        def all_arrived() -> bool:
            problems.extend(self._take())
            return bool(problems) or not self._missing()

        try:
            wait_until(all_arrived, self.patience)
        except NotInTime:
            return [self.never_seen(self._missing(), "never arrived")]
        self.wanted.clear()
        return problems

    def _missing(self) -> set[tuple]:
        return {each for each in self.wanted if each[1] not in self.arrived.get(each[0], [])}

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
