"""A server with billing, and its operator."""

import pytest

from support.billing import BILLED, OPERATOR, Payer
from support.client import PlatformUser


@pytest.fixture(scope="module")
def server_settings() -> dict:
    return BILLED


@pytest.fixture(scope="module")
def operator(server) -> PlatformUser:
    return PlatformUser(server, OPERATOR)


@pytest.fixture
def user(operator) -> PlatformUser:
    """A platform user without special rights; the operator registered first."""
    return PlatformUser(operator.server)


@pytest.fixture
def make_payer(operator):
    """Makes platform users who pay for their projects, with pinned limits."""
    return lambda **limits: Payer(operator, **limits)
