"""A server that may reach receivers on this machine, and a receiver."""

import pytest

from support.hook import Hook


@pytest.fixture(scope="module")
def server_settings():
    return {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}


@pytest.fixture
def hook(project, receiver):
    """Makes webhooks."""
    return lambda **more: Hook(more.pop("project", project), receiver, **more)
