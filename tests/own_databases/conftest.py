"""A server whose projects may bring databases, and servers of MongoDB's protocol."""

import pytest

from support.mongo_server import MongoServer
from support.own_database import PASSWORD, USER, fresh


@pytest.fixture(scope="package")
def server_settings() -> dict:
    return {"SERVICE_BYO": "on", "SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8"}


@pytest.fixture(scope="session")
def mongo(tmp_path_factory):
    """A replica set of one, without users."""
    made = MongoServer(tmp_path_factory.mktemp("mongo"))
    yield made
    made.stop()


@pytest.fixture(scope="session")
def guarded_mongo(tmp_path_factory):
    """A replica set of one, with users of the database "shop": USER may write, "reader" may not."""
    made = MongoServer(tmp_path_factory.mktemp("guarded"))
    for user, roles in ((USER, ["readWrite"]), ("reader", ["read"]), ("nobody", [])):
        granted = [{"role": role, "db": "shop"} for role in roles]
        made.run("admin", {"createUser": user, "pwd": PASSWORD, "roles": granted})
    made.stop()
    made.start("--auth")
    yield made
    made.stop()


@pytest.fixture
def database(mongo) -> str:
    """The address of a database that no other test uses."""
    return fresh(mongo)
