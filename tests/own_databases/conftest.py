"""A server whose projects may bring databases, and servers of MongoDB's protocol."""

import pytest

from support.client import Project
from support.mongo_server import MongoServer
from support.own_database import PASSWORD, SETTINGS, USER, connected, fresh, made


@pytest.fixture(scope="package")
def server_settings() -> dict:
    return SETTINGS


@pytest.fixture(scope="session")
def mongo(tmp_path_factory):
    """A replica set of one, without users."""
    server = MongoServer(tmp_path_factory.mktemp("mongo"))
    yield server
    server.kill()


@pytest.fixture(scope="session")
def guarded_mongo(tmp_path_factory):
    """A replica set of one, with users of the database "shop": USER may write, "reader" may not."""
    server = MongoServer(tmp_path_factory.mktemp("guarded"))
    for user, roles in ((USER, ["readWrite"]), ("reader", ["read"]), ("nobody", [])):
        granted = [{"role": role, "db": "shop"} for role in roles]
        server.run("admin", {"createUser": user, "pwd": PASSWORD, "roles": granted})
    server.stop()
    server.start("--auth")
    yield server
    server.kill()


@pytest.fixture
def database(mongo) -> str:
    """The address of a database that no other test uses."""
    return fresh(mongo)


@pytest.fixture
def project(owner, database) -> Project:
    """A project on that database."""
    return Project(owner, made(owner, database))


@pytest.fixture
def there(database):
    """The owner's own view of that database."""
    with connected(database) as client:
        yield client.get_default_database()
