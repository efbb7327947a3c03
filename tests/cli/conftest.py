"""A server without an effective limit on logins, since all calls of the program come from one address."""

import itertools

import pytest

from support.person import Folder, Person

_number = itertools.count(1)


@pytest.fixture(scope="module")
def server_settings():
    return {"SERVICE_AUTH_RATE_LIMIT": "1000/60"}


@pytest.fixture(scope="module")
def person(server, tmp_path_factory):
    """Makes people who are signed in."""

    def make(email: str | None = None, login: bool = True) -> Person:
        made = Person(server, tmp_path_factory.mktemp(f"person{next(_number)}"), email)
        return made.login() if login else made

    return make


@pytest.fixture(scope="module")
def ann(person):
    return person()


@pytest.fixture
def shop(ann):
    """A new project of Ann's with an entry in every section of its configuration."""
    project = ann.user.create_project()
    project.collection(
        "notes",
        schema={
            "type": "object",
            "required": ["title"],
            "properties": {"title": {"type": "string"}, "due": {"type": "string", "x-bson": "date"}},
        },
        indexes=[{"keys": {"ownerId": 1}}],
    )
    project.role("data:notes:read", name="readers")
    return project


@pytest.fixture
def linked(ann, shop, tmp_path):
    """A folder of Ann's into which the project was pulled."""

    folder = Folder(ann, tmp_path, shop)
    assert folder.run("link", "--project", shop.slug, "--url", ann.server.url).returncode == 0
    ran = folder.run("pull")
    assert ran.returncode == 0, ran.stderr
    return folder

