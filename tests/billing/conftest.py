"""A server with billing, and its operator."""

import pytest

from support.client import PlatformUser

OPERATOR = "operator@example.com"
SECRET_KEY = "sk_test_hidden_from_everything"


@pytest.fixture(scope="module")
def server_settings() -> dict:
    return {"SERVICE_BILLING": "on", "SERVICE_BILLING_SECRET_KEY": SECRET_KEY, "SERVICE_OPERATORS": OPERATOR}


@pytest.fixture(scope="module")
def operator(server) -> PlatformUser:
    return PlatformUser(server, OPERATOR)


@pytest.fixture
def user(operator) -> PlatformUser:
    """A platform user without special rights; the operator registered first."""
    return PlatformUser(operator.server)
