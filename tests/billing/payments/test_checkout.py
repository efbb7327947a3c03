"""Checkout and portal: sessions at the payment provider."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from support.client import PlatformUser, ok, refused
from support.payment_provider import SECRET_KEY, WEBHOOK_SECRET, applied, deliver, plan, subscribe


def sessions(payments, user) -> list[dict]:
    return [call for call in payments.at("/v1/checkout/sessions") if call["form"]["client_reference_id"] == user.id]


def test_a_checkout_is_a_session_at_the_provider(payments, buyer):
    answer = ok(buyer.post("/control/billing/checkout", {"plan": "pro"}))
    assert set(answer) == {"url"} and answer["url"].startswith(payments.url + "/pay/cs_")
    (call,) = sessions(payments, buyer)
    base = buyer.server.url + "/dashboard/account/billing"
    assert call["form"] == {
        "mode": "subscription",
        "line_items[0][price]": "price_pro",
        "line_items[0][quantity]": "1",
        "client_reference_id": buyer.id,
        "metadata[plan]": "pro",
        "metadata[userId]": buyer.id,
        "subscription_data[metadata][plan]": "pro",
        "subscription_data[metadata][userId]": buyer.id,
        "customer_email": buyer.email,
        "success_url": base + "?checkout=success",
        "cancel_url": base + "?checkout=canceled",
    }
    assert call["headers"]["authorization"] == f"Bearer {SECRET_KEY}"
    assert call["headers"]["stripe-version"] == "2024-06-20"
    assert call["headers"]["idempotency-key"]


def test_prices_are_found_by_their_lookup_key_and_kept(payments, buyer):
    for _ in range(3):
        ok(buyer.post("/control/billing/checkout", {"plan": "scale"}))
    found = [call for call in payments.at("/v1/prices") if call["query"]["lookup_keys[]"] == "scale"]
    assert len(found) == 1


@pytest.mark.parametrize("name", ["free", "gold", "", "Pro"])
def test_free_and_unknown_plans_are_refused(payments, buyer, name):
    refused(buyer.post("/control/billing/checkout", {"plan": name}), 400, "VALIDATION", "/plan")
    assert sessions(payments, buyer) == []


@pytest.mark.parametrize("body", [{}, {"plan": 1}, {"plan": None}, {"plan": "pro", "price": "price_1"}])
def test_other_bodies_are_refused(buyer, body):
    refused(buyer.post("/control/billing/checkout", body), 400, "VALIDATION")


def test_only_platform_users_pay(server, operator):
    project = operator.create_project()
    for token in (None, "nonsense", project.admin.token, project.end_user().token):
        for path in ("checkout", "portal"):
            response = operator.post(f"/control/billing/{path}", {"plan": "pro"}, token=token)
            assert response.status_code in (401, 403), (path, response.text)


def test_an_active_subscription_refuses_another_one(payments, buyer):
    subscription = subscribe(payments, buyer)
    for status in ("active", "trialing"):
        changed = payments.change(subscription, status=status)
        assert applied(deliver(buyer, payments.subscription_event(changed)))
        refused(buyer.post("/control/billing/checkout", {"plan": "scale"}), 409, "CONFLICT")
    changed = payments.change(subscription, status="canceled")
    assert applied(deliver(buyer, payments.subscription_event(changed, "deleted")))
    ok(buyer.post("/control/billing/checkout", {"plan": "scale"}))
    (call,) = sessions(payments, buyer)
    assert call["form"]["customer"] == subscription["customer"] and "customer_email" not in call["form"]


def test_two_checkouts_at_once_are_one_session(payments, buyer):
    payments.gate.clear()
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(buyer.post, "/control/billing/checkout", {"plan": "pro"}) for _ in range(8)]
        payments.gate.set()
        urls = [ok(each.result())["url"] for each in waiting]
    keys = {call["headers"]["idempotency-key"] for call in sessions(payments, buyer)}
    # One session for each minute in which some of them began.
    assert len(set(urls)) == len(keys) <= 2


def test_the_portal_is_for_customers(payments, buyer):
    refused(buyer.post("/control/billing/portal"), 409, "CONFLICT")
    subscription = subscribe(payments, buyer)
    answer = ok(buyer.post("/control/billing/portal"))
    assert set(answer) == {"url"} and answer["url"].startswith(payments.url + "/pay/bps_")
    form = payments.at("/v1/billing_portal/sessions")[-1]["form"]
    assert form == {"customer": subscription["customer"], "return_url": buyer.server.url + "/dashboard/account/billing"}


def test_a_grant_refuses_the_portal(payments, operator, buyer):
    subscription = subscribe(payments, buyer)
    changed = payments.change(subscription, status="canceled")
    assert applied(deliver(buyer, payments.subscription_event(changed, "deleted")))
    ok(operator.post(f"/control/admin/users/{buyer.id}/plan", {"plan": "scale"}), 204)
    assert plan(buyer) == ("grant", "scale")
    refused(buyer.post("/control/billing/portal"), 409, "CONFLICT")


@pytest.mark.parametrize("fault", ["garbage", 400, 401, 404, 429, 500, 503])
def test_faults_of_the_provider_are_502_without_its_text(payments, operator, fault):
    buyer = PlatformUser(operator.server)
    payments.fault = fault
    error = refused(buyer.post("/control/billing/checkout", {"plan": "pro"}), 502, "UPSTREAM_FAILED")
    assert error == {"code": "UPSTREAM_FAILED", "message": "request failed"}
    payments.fault = None
    ok(buyer.post("/control/billing/checkout", {"plan": "pro"}))


@pytest.mark.slow
def test_a_slow_provider_is_502_after_some_seconds(payments, buyer):
    payments.gate.clear()
    refused(buyer.post("/control/billing/checkout", {"plan": "pro"}), 502, "UPSTREAM_FAILED")
    payments.gate.set()
    ok(buyer.post("/control/billing/checkout", {"plan": "pro"}))


def test_no_secret_is_logged_or_audited(payments, server, operator, buyer):
    subscribe(payments, buyer)
    payments.fault = 401
    refused(buyer.post("/control/billing/portal"), 502)
    server.logged("api_error")
    entries = ok(operator.get("/control/audit", params={"limit": 200}))["entries"]
    changes = [each for each in entries if each["action"] == "subscription.changed"]
    assert f"users/{buyer.id}" in [each["target"] for each in changes]
    log = server.log_path.read_text(errors="replace")
    for secret in (SECRET_KEY, WEBHOOK_SECRET):
        assert secret not in log and secret not in str(entries)
