"""Events of the payment provider: signatures, order, repetition, and what becomes of unknown customers."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import stripe
from support.client import PlatformUser, ok, refused
from support.payment_provider import SECRET_KEY, WEBHOOK_SECRET, applied, billing, deliver, plan, sign, subscribe
from support.waiting import wait_until

LIBRARY_EVENT = {"object": "event", "api_version": "2024-06-20", "livemode": False}


# ---- signatures


def test_a_signature_of_the_providers_library_is_accepted(payments, buyer):
    subscription = payments.subscribe(buyer.id)
    raw = json.dumps(payments.subscription_event(subscription))
    headers = {"payment-signature": stripe.WebhookSignature.generate_signature_header(raw, WEBHOOK_SECRET)}
    assert applied(buyer.post("/billing/webhook", content=raw, headers=headers, token=None))
    assert plan(buyer) == ("subscription", "pro")


def test_the_stand_in_signs_as_the_providers_library_expects(payments, buyer):
    event = payments.event("customer.subscription.updated", payments.subscribe(buyer.id), **LIBRARY_EVENT)
    raw = json.dumps(event).encode()
    read = stripe.Webhook.construct_event(raw, sign(raw), WEBHOOK_SECRET)
    assert read["id"] == event["id"]
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(raw, sign(raw, "whsec_other"), WEBHOOK_SECRET)


@pytest.mark.parametrize("header", ["payment-signature", "stripe-signature"])
def test_both_headers_are_accepted(payments, buyer, header):
    event = payments.subscription_event(payments.subscribe(buyer.id))
    assert applied(deliver(buyer, event, header=header))


def test_one_of_several_signatures_is_enough(payments, buyer):
    raw = json.dumps(payments.subscription_event(payments.subscribe(buyer.id))).encode()
    time_of_it, right = sign(raw).split(",")
    wrong = sign(raw, "whsec_old").split(",")[1]
    headers = {"payment-signature": f"{time_of_it},{wrong},{right}"}
    assert applied(buyer.post("/billing/webhook", content=raw, headers=headers, token=None))


def test_what_is_not_signed_now_and_by_the_secret_is_refused(payments, buyer):
    event = payments.subscription_event(payments.subscribe(buyer.id))
    raw = json.dumps(event).encode()
    now = int(time.time())
    refused(deliver(buyer, event, secret="whsec_old"), 400, "VALIDATION")
    refused(deliver(buyer, event, secret=SECRET_KEY), 400, "VALIDATION")
    refused(deliver(buyer, event, at=now - 301), 400, "VALIDATION")
    # The clocks of server and provider are a month apart.
    refused(deliver(buyer, event, at=now + 330), 400, "VALIDATION")
    refused(deliver(buyer, event, at=now - 30 * 86400), 400, "VALIDATION")
    refused(deliver(buyer, event, at=now + 30 * 86400), 400, "VALIDATION")
    for header in ("", "t=,v1=", f"t={now}", f"v1={sign(raw).partition('v1=')[2]}", sign(raw) + ",t=1", "x"):
        response = buyer.post("/billing/webhook", content=raw, headers={"payment-signature": header}, token=None)
        refused(response, 400, "VALIDATION")
    refused(buyer.post("/billing/webhook", content=raw, token=None), 400, "VALIDATION")
    refused(buyer.post("/billing/webhook", content=raw + b" ", headers={"payment-signature": sign(raw)}), 400)
    assert plan(buyer) == ("free", "free")
    assert applied(deliver(buyer, event, at=now - 290))


# ---- bodies


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b"1", b'"evt"', b"{", b"not json", b"\xff\xfe", b"{}", b'{"id":"evt_x","type":"ping"}']
    + [b'{"id":"evt_x","type":"invoice.paid","created":"now","data":{"object":{}}}']
    + [b'{"id":"evt_x","type":"invoice.paid","created":1,"data":{"object":[]}}']
    + [b'{"id":5,"type":"invoice.paid","created":1,"data":{"object":{}}}'],
)
def test_a_body_that_is_no_event_is_refused(buyer, body):
    refused(deliver(buyer, body), 400, "VALIDATION")


def test_an_event_without_a_customer_is_refused(payments, buyer):
    subscription = {**payments.subscribe(buyer.id), "customer": None}
    refused(deliver(buyer, payments.subscription_event(subscription)), 400, "VALIDATION", "/data/object/customer")
    del subscription["customer"]
    refused(deliver(buyer, payments.subscription_event(subscription)), 400, "VALIDATION", "/data/object/customer")
    assert plan(buyer) == ("free", "free")


@pytest.mark.parametrize("size", [(256 << 10) + 1, 10 << 20])
def test_a_large_event_is_refused(payments, buyer, size):
    event = payments.event("invoice.paid", {})
    raw = json.dumps(event).encode()
    refused(deliver(buyer, raw + b" " * (size - len(raw))), 400, "VALIDATION")
    assert not applied(deliver(buyer, raw + b" " * ((256 << 10) - len(raw))))


@pytest.mark.parametrize("kind", ["invoice.paid", "customer.created", "customer.subscription.paused", "x"])
def test_other_types_are_received_and_not_applied(payments, buyer, kind):
    assert not applied(deliver(buyer, payments.event(kind, payments.subscribe(buyer.id))))
    assert plan(buyer) == ("free", "free")


def test_a_session_that_pays_once_is_not_applied(payments, buyer):
    event = payments.session_event(payments.subscribe(buyer.id), buyer.id)
    event["data"]["object"].update(mode="payment", subscription=None)
    assert not applied(deliver(buyer, event))


# ---- order


def test_a_subscription_from_its_start_to_its_end(payments, buyer):
    subscription = subscribe(payments, buyer, "pro")
    view = billing(buyer)
    assert view["subscription"]["status"] == "active" and view["subscription"]["plan"] == "pro"
    assert view["subscription"]["cancelAtPeriodEnd"] is False
    steps = [
        ({"plan": "scale"}, "updated", ("subscription", "scale")),
        ({"status": "past_due"}, "updated", ("free", "free")),
        ({"status": "active", "cancel_at_period_end": True}, "updated", ("subscription", "scale")),
        ({"status": "canceled"}, "deleted", ("free", "free")),
    ]
    for fields, kind, expected in steps:
        changed = payments.change(subscription, **fields)
        assert applied(deliver(buyer, payments.subscription_event(changed, kind)))
        assert plan(buyer) == expected
    assert billing(buyer)["subscription"]["cancelAtPeriodEnd"] is True


def test_an_event_is_applied_once(payments, buyer):
    subscription = subscribe(payments, buyer)
    event = payments.subscription_event(subscription)
    assert applied(deliver(buyer, event))
    assert not applied(deliver(buyer, event))
    other = payments.subscription_event(subscription)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: deliver(buyer, other), range(8)))
    # A server that is asked too often at once has the event sent again.
    assert [applied(each) for each in results if each.status_code == 200].count(True) == 1
    assert {each.status_code for each in results} <= {200, 503}


def test_an_older_event_never_overwrites_a_newer_one(payments, buyer):
    subscription = subscribe(payments, buyer)
    now = int(time.time())
    older = payments.subscription_event(subscription, created=now + 5)
    changed = payments.change(subscription, status="canceled")
    assert applied(deliver(buyer, payments.subscription_event(changed, "deleted", created=now + 10)))
    assert not applied(deliver(buyer, older))
    assert plan(buyer) == ("free", "free")


def test_the_state_at_the_provider_counts(payments, buyer):
    """An event says what it says; the subscription is fetched."""
    subscription = payments.subscribe(buyer.id)
    payments.change(subscription, status="canceled")
    assert applied(deliver(buyer, payments.subscription_event({**subscription, "status": "active"}, "created")))
    assert plan(buyer) == ("free", "free")


@pytest.mark.parametrize("fault", [500, 401, "garbage"])
def test_without_the_provider_the_event_is_sent_again(payments, operator, fault):
    buyer = PlatformUser(operator.server)
    event = payments.session_event(payments.subscribe(buyer.id), buyer.id)
    payments.fault = fault
    refused(deliver(buyer, event), 502, "UPSTREAM_FAILED")
    assert plan(buyer) == ("free", "free")
    payments.fault = None
    assert applied(deliver(buyer, event))
    assert plan(buyer) == ("subscription", "pro")


# ---- customers


def test_an_event_of_an_unknown_customer_is_kept_until_the_user_is_known(payments, buyer):
    subscription = payments.subscribe(None)
    created = payments.subscription_event(subscription, "created")
    assert not applied(deliver(buyer, created))
    assert plan(buyer) == ("free", "free")
    assert applied(deliver(buyer, payments.session_event(subscription, buyer.id)))
    assert plan(buyer) == ("subscription", "pro")
    # From now on the customer is known.
    changed = payments.change(subscription, plan="scale")
    assert applied(deliver(buyer, payments.subscription_event(changed)))
    assert plan(buyer) == ("subscription", "scale")


@pytest.mark.parametrize("user", ["user_nobody", "not an id", "x" * 5000])
def test_an_id_of_no_user_is_an_unknown_customer(payments, buyer, user):
    assert not applied(deliver(buyer, payments.session_event(payments.subscribe(None), user)))


def test_a_later_event_overwrites_a_grant(payments, operator, buyer):
    subscription = subscribe(payments, buyer)
    ok(operator.post(f"/control/admin/users/{buyer.id}/plan", {"plan": "scale"}), 204)
    assert plan(buyer) == ("grant", "scale")
    assert applied(deliver(buyer, payments.subscription_event(subscription)))
    assert plan(buyer) == ("subscription", "pro")


# ---- other servers


def test_the_comparison_finds_what_no_event_said(payments, make_server):
    server = make_server()
    server.start()
    buyer = PlatformUser(server)
    server.stop()
    payments.subscribe(buyer.id, "scale")
    server.settings.update(payments.settings())
    server.start()
    wait_until(lambda: plan(buyer) == ("subscription", "scale"), what="the comparison has not run")
    server.logged("subscriptions were compared")


def test_without_a_webhook_secret_every_event_is_refused(payments, make_server):
    server = make_server(payments.settings(SERVICE_BILLING_WEBHOOK_SECRET=None)).start()
    buyer = PlatformUser(server)
    refused(deliver(buyer, payments.subscription_event(payments.subscribe(buyer.id))), 400, "VALIDATION")
    assert plan(buyer) == ("free", "free")


def test_no_secret_is_logged_or_audited(payments, server, operator, buyer):
    subscribe(payments, buyer)
    payments.fault = 401
    event = payments.subscription_event(payments.subscribe(buyer.id))
    error = refused(deliver(buyer, event), 502)
    payments.fault = None
    old = refused(deliver(buyer, event, secret="whsec_old-and-secret"), 400)
    entries = ok(operator.get("/control/audit", params={"limit": 200}))["entries"]
    changes = [each for each in entries if each["action"] == "subscription.changed"]
    changes = [each for each in changes if each["target"] == f"users/{buyer.id}"]
    assert changes and changes[0]["details"]["status"] == "active" and changes[0]["actor"]["kind"] == "server"
    texts = [server.log_path.read_text(errors="replace"), str(entries), str(error), str(old)]
    for secret in (SECRET_KEY, WEBHOOK_SECRET, "whsec_old-and-secret"):
        assert not any(secret in text for text in texts)
