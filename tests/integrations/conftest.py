"""A server that may reach services on this machine, and stand-ins of the bot platforms."""

import pytest

from support.bot_platforms import STAND_INS
from support.client import ok
from support.integration import Integration


@pytest.fixture(scope="session")
def platforms():
    made = {name: make() for name, make in STAND_INS.items()}
    yield made
    for platform in made.values():
        platform.close()


@pytest.fixture(scope="module")
def server_settings(platforms):
    settings = {f"SERVICE_BOT_{name.upper()}_URL": platform.url for name, platform in platforms.items()}
    return {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1", "SERVICE_LOG_LEVEL": "debug", **settings}


@pytest.fixture
def integration(admin):
    """Makes integrations, which are deleted after the test."""
    made = []

    def make(provider, config, secrets=None, **more) -> Integration:
        made.append(Integration(admin, provider, config, secrets, **more))
        return made[-1]

    yield make
    for each in made:
        ok(admin.delete(each.route), 204)


@pytest.fixture
def api(integration, upstream):
    """An http integration for the upstream."""
    return lambda secrets=None, **config: integration(
        "http", {"baseUrl": upstream.url, "allowPrivate": True, **config}, secrets
    )
