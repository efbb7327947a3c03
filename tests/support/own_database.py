"""Addresses of databases that projects bring."""

from support.client import ok

# Marked, so that a test finds them wherever they appear.
USER, PASSWORD = "marked-user", "marked-password"


def guarded(mongo, user=USER, password=PASSWORD, database="shop") -> str:
    """A database of a server with users."""
    return f"mongodb://{user}:{password}@127.0.0.1:{mongo.port}/{database}?authSource=admin&replicaSet=secantus"


def create(owner, url, name="Shop"):
    return owner.post("/control/projects", {"name": name, "mongoUrl": url})


def made(owner, url) -> dict:
    """The project."""
    return ok(create(owner, url), 201)["project"]
