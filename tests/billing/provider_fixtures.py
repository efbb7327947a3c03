"""A server whose payments go to a stand-in for the provider. Test modules import the fixtures that they use."""

import pytest

from support.client import PlatformUser, ok
from support.payment_provider import PaymentProvider, deliver

OPERATOR = "boss@example.com"


@pytest.fixture(scope="module")
def payments():
    provider = PaymentProvider()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def server_settings(payments) -> dict:
    return payments.settings(SERVICE_OPERATORS=OPERATOR)


@pytest.fixture(scope="module")
def operator(server) -> PlatformUser:
    return PlatformUser(server, OPERATOR)


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


def billing(user: PlatformUser) -> dict:
    return ok(user.get("/control/billing"))


def plan(user: PlatformUser) -> tuple[str, str]:
    """The source and the slug of the plan in force."""
    view = billing(user)
    return view["source"], view["plan"]["slug"]


def applied(response) -> bool:
    """Checks the response to an event; returns whether it was applied."""
    body = ok(response, 200)
    assert set(body) == {"received", "applied"} and body["received"] is True
    return body["applied"]


def subscribe(payments: PaymentProvider, user: PlatformUser, plan: str = "pro", **more) -> dict:
    """The user pays for a plan, and the provider's event is delivered."""
    subscription = payments.subscribe(user.id, plan, **more)
    assert applied(deliver(user, payments.session_event(subscription, user.id)))
    return subscription
