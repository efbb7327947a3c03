"""Requests to the payment provider, checked by the provider's own mock server: it responds with 400 to parameters that its
interface does not have, and otherwise with the provider's examples."""

import pytest

from support.billing import OPERATOR
from support.client import PlatformUser, ok, refused
from support.payment_provider import WEBHOOK_SECRET, applied, billing, deliver
from support.stripe_mock import SECRET_KEY, StripeMock

# The first run builds the mock server.
pytestmark = pytest.mark.timeout(360)


@pytest.fixture(scope="module")
def mock(tmp_path_factory):
    mock = StripeMock(tmp_path_factory.mktemp("stripe-mock"))
    yield mock
    mock.close()


def settings(mock, key: str = SECRET_KEY) -> dict:
    return {
        "SERVICE_BILLING": "on",
        "SERVICE_BILLING_SECRET_KEY": key,
        "SERVICE_BILLING_WEBHOOK_SECRET": WEBHOOK_SECRET,
        "SERVICE_BILLING_API_URL": mock.url,
        "SERVICE_OPERATORS": OPERATOR,
    }


@pytest.fixture(scope="module")
def server_settings(mock) -> dict:
    return settings(mock)


@pytest.fixture
def working_provider():
    """The stand-in of this folder's other tests is not used here."""


@pytest.fixture
def requests(mock):
    """Returns the requests since the test began."""
    begun = len(mock.handled())
    return lambda: mock.handled()[begun:]


def session_of(user: PlatformUser, customer: str) -> dict:
    """The event of a checkout that the user has completed."""
    session = {
        "id": "cs_test_1",
        "object": "checkout.session",
        "mode": "subscription",
        "customer": customer,
        "subscription": "sub_123",
        "client_reference_id": user.id,
        "metadata": {"userId": user.id, "plan": "pro"},
    }
    return {
        "id": f"evt_{user.id.replace('_', '')}",
        "object": "event",
        "type": "checkout.session.completed",
        "created": 1_700_000_000,
        "data": {"object": session},
    }


def test_the_mock_refuses_what_the_interface_does_not_have(mock):
    form = {"mode": "subscription", "success_url": "http://localhost/", "line_items[0][price]": "price_1"}
    assert mock.call("POST", "/v1/checkout/sessions", **form).status_code == 200
    for wrong in ({"success_uri": "http://localhost/"}, {"metadata": "pro"}, {"mode": "subscribe"}):
        assert mock.call("POST", "/v1/checkout/sessions", **{**form, **wrong}).status_code == 400, wrong
    assert mock.call("GET", "/v1/subscriptions?stat=all").status_code == 400


def test_a_checkout_is_accepted(buyer, requests):
    answer = ok(buyer.post("/control/billing/checkout", {"plan": "pro"}))
    assert answer["url"].startswith("https://checkout.stripe.com/")
    assert requests() == [("GET", "/v1/prices", 200), ("POST", "/v1/checkout/sessions", 200)]


def test_subscriptions_are_listed_at_the_start(server, mock):
    server.logged("subscriptions were compared with the payment provider")
    listed = [status for method, path, status in mock.handled() if (method, path) == ("GET", "/v1/subscriptions")]
    # The test above sends one that is refused.
    assert 200 in listed


def test_a_subscription_is_fetched_and_managed(buyer, operator, requests):
    refused(buyer.post("/control/billing/portal"), 409, "CONFLICT")
    # The example of a subscription has this customer.
    assert applied(deliver(buyer, session_of(buyer, "cus_Nj5B57LZqvnaIg")))
    assert requests() == [("GET", "/v1/subscriptions/sub_123", 200)]
    view = billing(buyer)
    assert (view["plan"]["slug"], view["source"]) == ("pro", "subscription")
    assert set(view["subscription"]) == {"status", "plan", "currentPeriodEnd", "cancelAtPeriodEnd"}
    assert (view["subscription"]["status"], view["subscription"]["plan"]) == ("active", "pro")
    assert view["subscription"]["currentPeriodEnd"] == "2009-02-13T23:31:30.000Z"  # as in all examples
    portal = ok(buyer.post("/control/billing/portal"))
    assert portal["url"].startswith("https://")
    assert requests()[1:] == [("POST", "/v1/billing_portal/sessions", 200)]


def test_a_key_that_is_refused(make_server, mock, requests):
    server = make_server(settings(mock, key="sk_other_1")).start()
    user = PlatformUser(server)
    refused(user.post("/control/billing/checkout", {"plan": "pro"}), 502, "UPSTREAM_FAILED")
    assert ("GET", "/v1/prices", 401) in requests()
    server.logged("status 401")
