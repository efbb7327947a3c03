"""Writers of documents whose changes count up, for checks of what follows each acknowledged change."""

import threading

from kill.ledger import Check, Killed


class CountedDocuments(Check):
    """Documents whose `n` grows by one with each change, until they are deleted; each has one writer. A subclass says
    which changes the server refuses, and waits for the effects of the changes in `wanted`."""

    collection = ""
    prefix = ""  # of the documents' ids
    creates = 0.1  # the share of writes that create a document
    threads = 3

    def __init__(self):
        self.lock = threading.Lock()
        self.serial = 0
        self.alive: dict[str, int] = {}  # by document, its last acknowledged change
        self.unsure: dict[str, tuple] = {}  # by document, the change before and the one without a response
        self.wanted: set[tuple] = set()  # (document, change): acknowledged, and its effect not seen yet

    def forbids(self, _change) -> bool:
        """Returns whether the server must refuse a change."""
        return False

    def may_refuse(self, _change, status: int, _body) -> bool:
        """Returns whether the response is a permitted refusal, which leaves the document as it was."""
        return status == 503

    def writers(self, world):
        names = sorted(self.alive)
        return [self._writer(world, names[number :: self.threads]) for number in range(self.threads)]

    def _writer(self, world, own: list):
        path = f"/admin/collections/{self.collection}/documents"

        def write(connection, chance):
            world.stopping.wait(0.004)
            if not own or chance.random() < self.creates:
                with self.lock:
                    self.serial += 1
                    name = f"{self.prefix}{self.serial:07}"
                if self._send(world, connection, name, 0, "POST", path, {"id": name, "n": 0}):
                    own.append(name)
                return
            name = chance.choice(own)
            change = self.alive[name] + 1
            if self.forbids(change):
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
        forbidden = self.forbids(change)
        try:
            status, answer = connection.call(method, path, body)
        except Killed:
            if not forbidden:
                with self.lock:
                    self.unsure[name] = (self.alive.pop(name, None), change)
            raise
        if status not in (200, 201, 204) or forbidden:
            if not self.may_refuse(change, status, answer):
                raise AssertionError(f"{method} {path} {body} gave {status}: {answer}")
            return False
        self.alive[name] = change
        with self.lock:
            self.wanted.add((name, change))
        world.count()
        return True

    def settle(self, read) -> None:
        """Finds the result of the writes without a response; read(name) returns a document, or None."""
        for name, (before, change) in self.unsure.items():
            found = read(name)
            now = found["n"] if found else "deleted" if before is not None else None
            if now == change:
                self.wanted.add((name, change))
            if isinstance(now, int):
                self.alive[name] = now
        self.unsure.clear()

    def never_seen(self, changes: set, how: str) -> str:
        some = sorted(changes, key=str)[:5]
        return f"{len(changes)} acknowledged changes {how}, such as {some}"
