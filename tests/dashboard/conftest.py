"""A server whose dashboard is opened in Chromium. A page that reports a breach of its policy, logs a message, or requests
something of another server fails its test."""

import pytest

from support.client import PlatformUser
from support.dashboard import Person

# A browser and a sanitized server take long.
SLOW_TESTS = pytest.mark.timeout(300)


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/dashboard" in str(item.path):
            item.add_marker(SLOW_TESTS)


@pytest.fixture(scope="module")
def server_settings(mails):
    """Its mails are caught. All requests of a browser have one address, so the limit per address is high."""
    return {**mails.settings, "SERVICE_AUTH_RATE_LIMIT": "1000/60"}


@pytest.fixture
def opened(chromium):
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
        person.check()


@pytest.fixture
def person(opened, server, owner):
    """A browser at the module's server, which has its first user."""
    return opened(server)


@pytest.fixture
def developer(owner, server) -> PlatformUser:
    """A platform user without projects."""
    return PlatformUser(server, name="Ada Marsh")
