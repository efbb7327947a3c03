"""A server whose payments go to a stand-in for the provider."""

import pytest

from support.billing import OPERATOR
from support.client import PlatformUser


@pytest.fixture(scope="module")
def server_settings(payments) -> dict:
    return payments.settings(SERVICE_OPERATORS=OPERATOR)


@pytest.fixture
def buyer(operator) -> PlatformUser:
    """A platform user who has never paid."""
    return PlatformUser(operator.server)


@pytest.fixture(autouse=True)
def working_provider(payments):
    """Ends the faults that a test has set."""
    yield
    payments.fault = None
    payments.gate.set()
