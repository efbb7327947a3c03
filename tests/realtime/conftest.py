"""Sockets of the module's project that also follow a marker."""

import pytest

from support.realtime import Live, Marker


@pytest.fixture(scope="module")
def marker(project):
    return Marker(project)


@pytest.fixture
def open_live(server, marker):
    """Makes sockets that also follow the marker."""
    made = []

    def make(token: str) -> Live:
        live = Live(server, token)
        marker.follow(live)
        made.append(live)
        return live

    yield make
    for live in made:
        live.close()
