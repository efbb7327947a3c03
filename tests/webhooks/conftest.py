"""A server that may reach receivers on this machine, and a receiver."""

import pytest

from support.hook import Hook
from support.receiver import Receiver
from support.server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"), {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def hook(project, receiver):
    """A maker of webhooks."""
    return lambda **more: Hook(more.pop("project", project), receiver, **more)
