"""Collections that are created, filled, indexed, renamed and dropped during other writes: after a kill each is complete
under one name, or absent; a collection that is created under a dropped name is empty."""

import threading

from kill.ledger import Check, States


class Shelves(Check):
    """Each shelf is one collection at a time, under one of two names, with one writer."""

    name = "shelves"
    shelves = 3
    # Built over existing documents; one of every kind of index.
    indexes = (
        {"name": "byColour", "keys": {"colour": 1, "size": -1}},
        {"name": "byTag", "keys": {"tags": -1}},
        {"name": "byPair", "keys": {"parts.name": 1, "parts.count": 1}},
        {"name": "bySerial", "keys": {"serial": 1}, "unique": True},
        {"name": "some", "keys": {"size": 1}, "partialFilter": {"size": {"$gt": 5}}},
        {"name": "sparse", "keys": {"maybe": 1}, "sparse": True},
        {"name": "including", "keys": {"size": -1}, "include": ["colour", "tags", "parts.name"]},
        {"name": "bySerialIncluding", "keys": {"serial": -1}, "unique": True, "include": ["colour"]},
    )

    def __init__(self):
        # By shelf: [name, sorted ids, sorted names of indexes].
        self.states = States()
        self.serial = 0
        self.lock = threading.Lock()

    def writers(self, world):
        return [self._writer(world, f"shelf{number}") for number in range(self.shelves)]

    def _writer(self, world, shelf: str):
        def write(connection, chance):
            state = self.states.current(shelf)
            if state is None:
                name = f"{shelf}{chance.choice('ab')}"
                self._send(world, connection, shelf, [name, [], []], "POST", "/admin/collections", {"name": name})
                return
            name, ids, indexes = state
            path = f"/admin/collections/{name}"
            roll = chance.random()
            if roll < 0.7 and len(ids) < 60:
                document = self._document(chance)
                after = [name, sorted([*ids, document["id"]]), indexes]
                self._send(world, connection, shelf, after, "POST", path + "/documents", document)
            elif roll < 0.8:
                index = chance.choice(self.indexes)
                if index["name"] in indexes:
                    after = [name, ids, [other for other in indexes if other != index["name"]]]
                    self._send(world, connection, shelf, after, "DELETE", f"{path}/indexes/{index['name']}")
                else:
                    after = [name, ids, sorted([*indexes, index["name"]])]
                    self._send(world, connection, shelf, after, "POST", path + "/indexes", index)
            elif roll < 0.9:
                other = shelf + ("b" if name.endswith("a") else "a")
                self._send(world, connection, shelf, [other, ids, indexes], "POST", path + "/rename", {"to": other})
            elif roll < 0.93:
                self._send(world, connection, shelf, None, "DELETE", path)

        return write

    def _document(self, chance) -> dict:
        with self.lock:
            self.serial += 1
            serial = self.serial
        document = {
            "id": f"item{serial:08}",
            "serial": serial,
            "colour": chance.choice(["red", "green", "blue"]),
            "size": chance.randrange(10),
            "tags": chance.sample(["new", "old", "odd"], chance.randrange(4)),
            "parts": [{"name": chance.choice("xyz"), "count": chance.randrange(3)} for _ in range(chance.randrange(3))],
        }
        if chance.random() < 0.5:
            document["maybe"] = chance.randrange(5)
        return document

    def _send(self, world, connection, shelf, after, method, path, body=None):
        self.states.begin(shelf, after)
        status, answer = connection.call(method, path, body)
        if status in (200, 201, 204):
            self.states.acknowledge(shelf)
            world.count()
        else:
            self.states.refuse(shelf)
            if status != 503:
                raise AssertionError(f"{method} {path} gave {status}: {answer}")

    def verify(self, world):
        connection = world.connect()
        found: dict[str, list] = {}
        problems = []
        for name in connection.call("GET", "/admin/collections")[1]["collections"]:
            if not name.startswith("shelf"):
                continue
            shelf = name[:-1]
            path = f"/admin/collections/{name}"
            documents = connection.call("GET", path + "/documents?limit=1000")[1]["documents"]
            indexes = connection.call("GET", path + "/indexes")[1]["indexes"]
            if shelf in found:
                problems.append(f"{shelf} exists under two names")
            found[shelf] = [
                name,
                sorted(document["id"] for document in documents),
                sorted(index["name"] for index in indexes),
            ]
        connection.close()
        return problems + self.states.compare(found, "shelf")
