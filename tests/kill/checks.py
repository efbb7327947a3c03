"""The checks of the modules: documents with their indexes, contested unique values, the catalogue, users."""

import hashlib
import itertools
import json
import threading
import urllib.parse

from kill.backups import Backups
from kill.files import Files
from kill.functions import Functions
from kill.hooks import Hooks
from kill.ledger import Check, States, expect
from kill.live_sockets import LiveSockets
from kill.shelves import Shelves

SYSTEM_FIELDS = ("createdAt", "updatedAt", "ownerId")
OPEN = {operation: {} for operation in ("read", "list", "create", "update", "delete")}
# Hides nothing, and makes the entries of all indexes hold `ownerId`.
OWNED = {**OPEN, "list": {"filter": {"ownerId": {"$ne": "nobody"}}}}


def everything(connection, collection: str, filter: dict | None = None) -> dict:
    """Returns all documents of a collection by id, read through /admin page by page."""
    found = {}
    more = "" if filter is None else "&filter=" + urllib.parse.quote(json.dumps(filter))
    while True:
        path = f"/admin/collections/{collection}/documents?limit=1000&skip={len(found)}{more}"
        _, answer = expect(connection, "GET", path)
        for document in answer["documents"]:
            found[document["id"]] = {key: value for key, value in document.items() if key not in SYSTEM_FIELDS}
        if len(found) >= answer["total"] or not answer["documents"]:
            if len(found) != answer["total"]:
                raise AssertionError(f"{collection}: {len(found)} documents are listed, the total is {answer['total']}")
            return found


def sealed(document: dict) -> dict:
    """Returns the document with a checksum of its content, which shows a mixture of two versions."""
    body = {key: value for key, value in document.items() if key not in ("sum", *SYSTEM_FIELDS)}
    text = json.dumps(body, sort_keys=True).encode()
    return {**body, "sum": hashlib.sha256(text).hexdigest()[:16]}


class Documents(Check):
    """Creates, patches, replacements and deletes in an indexed collection; each document has one writer."""

    name = "documents"
    collection = "things"
    threads = 8

    def __init__(self):
        self.states = States()
        self.serial = 0
        self.lock = threading.Lock()

    def prepare(self, world):
        connection = world.connect()
        expect(connection, "POST", "/admin/collections", {"name": self.collection})
        expect(connection, "PUT", f"/admin/collections/{self.collection}/policy", OPEN)
        for index in (
            {"keys": {"n": 1}},
            {"keys": {"group": 1, "n": -1}, "include": ["tags", "deep.x"]},
            {"keys": {"tags": 1}},
            {"keys": {"slug": 1}, "unique": True, "include": ["n"]},
            {"keys": {"deep.x": 1}, "sparse": True},
        ):
            expect(connection, "POST", f"/admin/collections/{self.collection}/indexes", index)
        connection.close()

    def writers(self, world):
        known = self.states.names()
        return [self._writer(world, known[number :: self.threads]) for number in range(self.threads)]

    def _writer(self, world, own: list[str]):

        def write(connection, chance):
            roll = chance.random()
            name = chance.choice(own) if own and roll >= 0.45 else None
            before = self.states.current(name) if name else None
            if before is None:
                with self.lock:
                    self.serial += 1
                    name = f"{'w' if chance.random() < 0.5 else 'W'}{self.serial:08}"
                after = sealed({"id": name, "slug": f"slug-{name}", **self._content(chance)})
                self._send(world, connection, name, after, "POST", f"/{self.collection}", after)
                own.append(name)
                return
            path = f"/{self.collection}/{name}"
            if roll < 0.75:
                change = self._content(chance)
                after = sealed({**before, **change})
                step = after["n"] - before["n"]
                body = {
                    "$set": {**{key: change[key] for key in change if key != "n"}, "sum": after["sum"]},
                    "$inc": {"n": step},
                }
                self._send(world, connection, name, after, "PATCH", path, body)
            elif roll < 0.88:
                after = sealed({"id": name, "slug": f"slug-{name}-{chance.randrange(9)}", **self._content(chance)})
                self._send(
                    world, connection, name, after, "PUT", path, {key: after[key] for key in after if key != "id"}
                )
            else:
                own.remove(name)
                self._send(world, connection, name, None, "DELETE", path)

        return write

    def _send(self, world, connection, name, after, method, path, body=None):
        self.states.begin(name, after)
        status, answer = connection.call(method, path, body)
        if status in (201, 204):
            self.states.acknowledge(name)
            world.count()
        else:
            self.states.refuse(name)
            if status != 503:
                raise AssertionError(f"{method} {path} gave {status}: {answer}")

    @staticmethod
    def _content(chance) -> dict:
        content = {
            "n": chance.randrange(1000),
            "group": chance.choice("abcdef"),
            "tags": chance.sample(["red", "green", "blue", "white"], chance.randrange(4)),
            "pad": "x" * int(chance.paretovariate(1) * 20 % 3000),
        }
        content["deep"] = {"x": chance.randrange(50)} if chance.random() < 0.5 else {}
        return content

    def verify(self, world):
        connection = world.connect()
        found = everything(connection, self.collection)
        problems = [
            f"document {name} does not fit its own sum: {document}"
            for name, document in found.items()
            if sealed(document) != document
        ]
        problems += self.states.compare(found, "document")
        # The same through the indexes, whose results must equal those of the scan.
        for field, values in (
            ("group", "abcdef"),
            ("tags", ["red", "green", "blue", "white"]),
            ("deep.x", range(0, 50, 7)),
        ):
            for value in values:
                by_index = set(everything(connection, self.collection, {field: value}))
                head, _, tail = field.partition(".")
                by_scan = set()
                for name, document in found.items():
                    held = document.get(head)
                    held = held.get(tail) if tail and isinstance(held, dict) else held
                    if value in held if isinstance(held, list) else held == value:
                        by_scan.add(name)
                if by_index != by_scan:
                    problems.append(f"{field}={value}: index and documents differ by {sorted(by_index ^ by_scan)[:5]}")
        # Also filters that the entries alone decide, by the fields that they hold.
        for group, tag in itertools.product("abcdef", ["red", "blue"]):
            by_index = set(everything(connection, self.collection, {"group": group, "tags": tag, "deep.x": None}))
            by_scan = {
                name
                for name, document in found.items()
                if document.get("group") == group and tag in document["tags"] and "x" not in document["deep"]
            }
            if by_index != by_scan:
                problems.append(f"group={group} tags={tag}: index and documents differ by {sorted(by_index ^ by_scan)[:5]}")
        some = world.chance.sample(sorted(found), min(20, len(found)))
        for name in some:
            if list(everything(connection, self.collection, {"slug": found[name]["slug"]})) != [name]:
                problems.append(f"document {name} is not found by its unique slug")
        # The collection must not grow without bound over many rounds.
        for name in sorted(found)[: max(0, len(found) - 1500)]:
            self._send(world, connection, name, None, "DELETE", f"/{self.collection}/{name}")
        connection.close()
        return problems


class UniqueValues(Check):
    """Several writers set the same few unique values: each has one holder at most, and an acknowledged holder keeps
    it."""

    name = "unique values"
    collection = "seats"
    threads = 4
    seats = 20

    def __init__(self):
        self.states = States()

    def prepare(self, world):
        connection = world.connect()
        expect(connection, "POST", "/admin/collections", {"name": self.collection})
        expect(connection, "PUT", f"/admin/collections/{self.collection}/policy", OPEN)
        expect(
            connection,
            "POST",
            f"/admin/collections/{self.collection}/indexes",
            {"keys": {"seat": 1}, "unique": True, "sparse": True},
        )
        connection.close()

    def writers(self, world):
        return [self._writer(world, number) for number in range(self.threads)]

    def _writer(self, world, number):
        names = [f"guest-{number}-{n}" for n in range(8)]

        def write(connection, chance):
            name = chance.choice(names)
            seat = chance.randrange(self.seats)
            if self.states.current(name) is None:
                after, call = {"id": name, "seat": seat}, ("POST", f"/{self.collection}", {"id": name, "seat": seat})
            elif chance.random() < 0.3:
                after, call = {"id": name}, ("PATCH", f"/{self.collection}/{name}", {"$unset": {"seat": ""}})
            else:
                after, call = {"id": name, "seat": seat}, ("PATCH", f"/{self.collection}/{name}", {"seat": seat})
            self.states.begin(name, after)
            status, answer = connection.call(*call)
            if status in (201, 204):
                self.states.acknowledge(name)
                world.count()
            else:
                self.states.refuse(name)
                if status not in (409, 503):
                    raise AssertionError(f"{call} gave {status}: {answer}")

        return write

    def verify(self, world):
        connection = world.connect()
        found = everything(connection, self.collection)
        problems = self.states.compare(found, "guest")
        holders: dict[int, str] = {}
        for name, document in found.items():
            if "seat" in document:
                if document["seat"] in holders:
                    problems.append(f"seat {document['seat']} is held by {name} and {holders[document['seat']]}")
                holders[document["seat"]] = name
        for seat in range(self.seats):
            by_index = list(everything(connection, self.collection, {"seat": seat}))
            if by_index != ([holders[seat]] if seat in holders else []):
                problems.append(f"seat {seat}: the index says {by_index}, the documents {holders.get(seat)}")
        connection.close()
        return problems


def send(world, connection, states, name, after, call, refusals=(503,)):
    """Makes a call that leaves `after` (None: nothing) under `name`; any other refusal fails the round."""
    states.begin(name, after)
    status, answer = connection.call(*call)
    if status in (201, 204):
        states.acknowledge(name)
        world.count()
    else:
        states.refuse(name)
        if status not in refusals:
            raise AssertionError(f"{call} gave {status}: {answer}")


class Catalogue(Check):
    """Collections, policies and indexes are created and deleted during other writes."""

    name = "catalogue"
    # An index build holds its collection while it runs.
    refusals = (409, 503)

    def __init__(self):
        self.collections = States()
        self.indexes = States()
        self.base: set[str] = set()

    def prepare(self, world):
        connection = world.connect()
        expect(connection, "POST", "/admin/collections", {"name": "extra"})
        connection.close()

    def writers(self, world):
        def write(connection, chance):
            world.stopping.wait(0.01)
            if chance.random() < 0.1:
                path = f"/admin/collections/{Documents.collection}/policy"
                status, answer = connection.call("PUT", path, chance.choice((OPEN, OWNED)))
                if status not in (204, *self.refusals):
                    raise AssertionError(f"PUT {path} gave {status}: {answer}")
            elif chance.random() < 0.5:
                name = f"col{chance.randrange(6)}"
                if self.collections.current(name) is None:
                    call = ("POST", "/admin/collections", {"name": name})
                    send(world, connection, self.collections, name, True, call, self.refusals)
                else:
                    call = ("DELETE", f"/admin/collections/{name}")
                    send(world, connection, self.collections, name, None, call, self.refusals)
            else:
                name = f"idx{chance.randrange(4)}"
                if not self.indexes.settled(name):
                    return
                if self.indexes.current(name) is None:
                    # On the collection that is being written, so that the build has concurrent writes.
                    body = {
                        "keys": {"group": 1, "pad": 1} if chance.random() < 0.5 else {"n": -1, "tags": 1},
                        "name": name,
                        **({"include": ["slug", "deep"]} if chance.random() < 0.5 else {}),
                    }
                    call = ("POST", f"/admin/collections/{Documents.collection}/indexes", body)
                    send(world, connection, self.indexes, name, True, call, self.refusals)
                else:
                    call = ("DELETE", f"/admin/collections/{Documents.collection}/indexes/{name}")
                    send(world, connection, self.indexes, name, None, call, self.refusals)

        return [write]

    def verify(self, world):
        connection = world.connect()
        names = expect(connection, "GET", "/admin/collections")[1]["collections"]
        problems = self.collections.compare({name: True for name in names if name.startswith("col")}, "collection")
        for needed in ("extra", Documents.collection, UniqueValues.collection):
            if needed not in names:
                problems.append(f"collection {needed} does not exist")
        indexes = expect(connection, "GET", f"/admin/collections/{Documents.collection}/indexes")[1]["indexes"]
        own = {index["name"]: index for index in indexes if index["name"].startswith("idx")}
        problems += self.indexes.compare(dict.fromkeys(own, True), "index")
        for name, index in own.items():
            # Its request has no response. The build continues, and may find what the request would have been refused for.
            if index.get("building"):
                self.indexes.unsettle(name, None, True)
        connection.close()
        return problems


class Users(Check):
    """End users and roles, which are entities of the control side of a project."""

    name = "users"

    def __init__(self):
        self.users = States()
        self.roles = States()

    def writers(self, world):
        def write(connection, chance):
            if chance.random() < 0.15:
                email = f"user{chance.randrange(10**9)}@example.com"
                after = {"email": email, "name": "N"}
                call = ("POST", "/admin/users", {**after, "password": "correct horse"})
                send(world, connection, self.users, email, after, call)
                return
            name = f"Role{chance.randrange(5)}"
            if self.roles.current(name) is None:
                permissions = [f"data:c{chance.randrange(100)}:read"]
                call = ("POST", "/admin/roles", {"name": name, "permissions": permissions})
                send(world, connection, self.roles, name, permissions, call)
            elif chance.random() < 0.7:
                permissions = [f"data:c{chance.randrange(100)}:read", "audit:read"]
                call = ("PUT", f"/admin/roles/{name}", {"permissions": permissions})
                send(world, connection, self.roles, name, permissions, call)
            else:
                send(world, connection, self.roles, name, None, ("DELETE", f"/admin/roles/{name}"))

        return [write]

    def verify(self, world):
        connection = world.connect()
        users: dict[str, dict] = {}
        while True:
            page = expect(connection, "GET", f"/admin/users?limit=1000&skip={len(users)}")[1]["users"]
            users.update({user["email"]: {"email": user["email"], "name": user.get("name")} for user in page})
            if len(page) < 1000:
                break
        problems = self.users.compare(users, "user")
        roles = expect(connection, "GET", "/admin/roles")[1]["roles"]
        problems += self.roles.compare(
            {role["name"]: role["permissions"] for role in roles if not role["builtIn"]}, "role"
        )
        connection.close()
        return problems


CHECKS = [Documents, UniqueValues, Catalogue, Shelves, Users, Backups, LiveSockets, Hooks, Functions, Files]
