"""A server with billing, its operator, and projects whose limits a test sets."""

import pytest

from support.client import PlatformUser
from support.server import Server

OPERATOR = "operator@example.com"


@pytest.fixture(scope="module")
def server_settings() -> dict:
    return {
        "SERVICE_BILLING": "on",
        "SERVICE_BILLING_SECRET_KEY": "sk_test_x",
        "SERVICE_OPERATORS": OPERATOR,
    }


@pytest.fixture(scope="module")
def operator(server) -> PlatformUser:
    return PlatformUser(server, OPERATOR)


class LimitedUser(PlatformUser):
    """A platform user whose limits the operator pins."""

    def __init__(self, server: Server, operator: PlatformUser):
        super().__init__(server)
        self.operator = operator

    def limit(self, **limits: int | None) -> None:
        """Pins limits by their names; None is unlimited. They hold from the next request on."""
        response = self.operator.put(f"/control/admin/users/{self.id}/limits", {"limits": limits})
        assert response.status_code in (200, 204), response.text


@pytest.fixture
def limited(server, operator) -> LimitedUser:
    return LimitedUser(server, operator)
