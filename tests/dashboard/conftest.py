"""A server whose dashboard is opened in Chromium. A page that reports a breach of its policy, logs a message, or requests
something of another server fails its test."""

import pytest
from playwright.sync_api import expect

from support.browser import PATIENCE
from support.client import PlatformUser, Project
from support.dashboard import Person, verify
from support.dashboard_operations import JOURNEYS

# A browser and a sanitized server take long.
SLOW_TESTS = pytest.mark.timeout(300)

expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/dashboard" in str(item.path):
            item.add_marker(SLOW_TESTS)


@pytest.fixture(scope="module")
def server_settings(mails):
    """Its mails are caught. All requests of a browser have one address, so the limit per address is high."""
    return {**mails.settings, "SERVICE_AUTH_RATE_LIMIT": "1000/60"}


@pytest.fixture(scope="module", autouse=True)
def reached(request):
    """The operations that the journeys of the module reach; checked where all ran that ./test makes."""
    failed = request.session.testsfailed
    reached = set()
    yield reached
    ran = {item.originalname for item in request.session.items if item.module is request.module}
    journeys = {name: test for name, test in vars(request.module).items() if name.startswith("test_")}
    of_every_day = {name for name, test in journeys.items() if "long" not in {each.name for each in getattr(test, "pytestmark", [])}}
    whole = ran >= of_every_day
    if whole and request.session.testsfailed == failed:
        assert set(JOURNEYS.get(request.module.__name__.split(".")[-1], "").split()) - reached == set()


@pytest.fixture
def opened(chromium, reached):
    """Opens browsers of people at a server; checks each at the end."""
    people = []

    def at(server, **settings) -> Person:
        person = Person(chromium.new_context(**{"reduced_motion": "reduce", **settings}), server.url)
        people.append(person)
        return person

    yield at
    for person in people:
        person.context.close()
    for person in people:
        reached |= person.operations
        person.check()


@pytest.fixture
def person(opened, server, owner):
    """A browser at the module's server, which has its first user."""
    return opened(server)


@pytest.fixture
def developer(owner, server) -> PlatformUser:
    """A platform user without projects."""
    return PlatformUser(server, name="Ada Marsh")


@pytest.fixture
def project(developer) -> Project:
    """An empty project of the developer."""
    return developer.create_project("Bookshop")


@pytest.fixture
def books(project) -> str:
    """An empty collection of the project."""
    return project.collection("books")


@pytest.fixture
def viewer_at(opened, server, mails):
    """Signs a Viewer of a project, or one with another role, in at a screen of it. No request of theirs may lack a
    permission."""
    refused = []

    def at(project, path: str, role: str = "Viewer") -> Person:
        viewer = PlatformUser(server)
        verify(mails, viewer)
        project.member(role, viewer)
        person = opened(server)
        person.page.on("response", lambda response: response.status == 403 and refused.append(response.url))
        person.sign_in(viewer, f"/p/{project.slug}{path}")
        return person

    yield at
    assert refused == []
