"""Addresses of databases that projects bring."""

import re
from contextlib import contextmanager

import pymongo

from support.client import OPEN_POLICY, ok, unique
from support.realtime import Live
from support.waiting import wait_until

# Of a server that takes databases of this machine.
SETTINGS = {"SERVICE_BYO": "on", "SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8"}
# Marked, so that a test finds them wherever they appear.
USER, PASSWORD = "marked-user", "marked-password"


def guarded(mongo, user=USER, password=PASSWORD, database="shop") -> str:
    """A database of a server with users."""
    return f"mongodb://{user}:{password}@127.0.0.1:{mongo.port}/{database}?authSource=admin&replicaSet=secantus"


def fresh(mongo) -> str:
    """The address of a database that no other test uses."""
    return f"mongodb://127.0.0.1:{mongo.port}/{unique('d')}?replicaSet=secantus"


def connected(address: str) -> pymongo.MongoClient:
    return pymongo.MongoClient(address, directConnection=True)


@contextmanager
def as_their_owner(address: str):
    """The database of a fresh address, as its owner sees it; dropped at the end."""
    server, name = re.fullmatch(r"(mongodb://[^/]+/)(\w+)\?.*", address).groups()
    client = pymongo.MongoClient(f"{server}?replicaSet=secantus")
    yield client[name]
    client.drop_database(name)
    client.close()


def create(owner, url, name="Shop"):
    return owner.post("/control/projects", {"name": name, "mongoUrl": url})


def made(owner, url) -> dict:
    """The project."""
    return ok(create(owner, url), 201)["project"]


def imported(project, there, name: str, documents: list[dict], policy=OPEN_POLICY) -> str:
    """Returns the name of a collection that its owner filled and that was imported."""
    there[name].insert_many(documents)
    ok(project.admin.post(f"/admin/introspect/{name}/import", {"schema": False}), 201)
    ok(project.admin.put(f"/admin/collections/{name}/policy", policy), 204)
    return name


def starts(project, there) -> None:
    """Waits until changes that others make are followed."""
    marks = project.collection(unique("marks"))
    with Live(project.server, project.admin.token) as live:
        live.follow(marks, id="marks", admin=True)

        def marked() -> bool:
            there[marks].insert_one({})
            try:
                return live.next(0.5)["type"] == "event"
            except TimeoutError:
                return False

        wait_until(marked, 60, "changes that others make are not followed")
