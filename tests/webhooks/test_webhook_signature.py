"""Receivers verify signatures: with an independent library of Standard Webhooks, and by hand for
X-Service-Signature."""

import hashlib
import hmac
import json
import time

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from support.client import ok

TOLERANCE_MS = 5 * 60 * 1000


class Refused(Exception):
    pass


class OwnVerifier:
    """The receiver that docs/webhooks.md describes: X-Service-Signature over "<t>.<raw body>"."""

    def __init__(self, secret: str):
        self.secret = secret.encode()
        self.seen: set[str] = set()

    def verify(self, raw: bytes, headers: dict, now_ms: int | None = None) -> dict:
        parts = dict(part.split("=", 1) for part in headers["x-service-signature"].split(","))
        now = now_ms if now_ms is not None else time.time() * 1000
        if abs(now - int(parts["t"])) > TOLERANCE_MS:
            raise Refused("stale")
        wanted = hmac.new(self.secret, parts["t"].encode() + b"." + raw, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(wanted, parts["v1"]):
            raise Refused("signature")
        body = json.loads(raw)
        if body["id"] in self.seen:
            raise Refused("replayed")
        self.seen.add(body["id"])
        return body


@pytest.fixture
def delivery(hook):
    made = hook()
    made.insert(text="é")
    return made, made.arrived()[0]


def test_both_verify(delivery):
    made, sent = delivery
    assert OwnVerifier(made.secret).verify(sent.raw, sent.headers)["event"] == "insert"
    assert Webhook(made.secret).verify(sent.raw, sent.headers)["event"] == "insert"
    assert sent.headers["webhook-id"] == sent.body["id"]
    stamp = int(sent.headers["x-service-signature"].split(",")[0].removeprefix("t="))
    assert abs(stamp - time.time() * 1000) < 60_000
    assert abs(stamp / 1000 - int(sent.headers["webhook-timestamp"])) <= 1


def test_what_was_tampered_with_fails(delivery):
    made, sent = delivery
    raw = sent.raw.replace(b"insert", b"delete")
    with pytest.raises(Refused):
        OwnVerifier(made.secret).verify(raw, sent.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(made.secret).verify(raw, sent.headers)
    later = {**sent.headers, "webhook-timestamp": str(int(sent.headers["webhook-timestamp"]) + 1)}
    with pytest.raises(WebhookVerificationError):
        Webhook(made.secret).verify(sent.raw, later)
    with pytest.raises(WebhookVerificationError):
        Webhook(made.secret).verify(sent.raw, {**sent.headers, "webhook-id": "evt_other"})
    stamp, signature = sent.headers["x-service-signature"].removeprefix("t=").split(",")
    moved = {**sent.headers, "x-service-signature": f"t={int(stamp) + 1},{signature}"}
    with pytest.raises(Refused):
        OwnVerifier(made.secret).verify(sent.raw, moved)


def test_what_is_stale_fails(delivery):
    made, sent = delivery
    with pytest.raises(Refused):
        OwnVerifier(made.secret).verify(sent.raw, sent.headers, int(time.time() * 1000) + TOLERANCE_MS + 60_000)
    headers = {**sent.headers, "webhook-timestamp": str(int(sent.headers["webhook-timestamp"]) - 301)}
    with pytest.raises(WebhookVerificationError):
        Webhook(made.secret).verify(sent.raw, headers)


def test_what_is_replayed_is_seen_by_its_id(delivery):
    made, sent = delivery
    verifier = OwnVerifier(made.secret)
    verifier.verify(sent.raw, sent.headers)
    with pytest.raises(Refused):
        verifier.verify(sent.raw, sent.headers)


def test_another_secret_does_not_verify(delivery, hook):
    _, sent = delivery
    other = hook()
    with pytest.raises(Refused):
        OwnVerifier(other.secret).verify(sent.raw, sent.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(other.secret).verify(sent.raw, sent.headers)


def test_rotation_counts_at_once(delivery):
    made, _ = delivery
    answer = ok(made.admin.post(f"{made.route}/rotate-secret"))
    assert list(answer) == ["secret"] and answer["secret"].startswith("whsec_") and answer["secret"] != made.secret
    made.insert(n=2)
    sent = made.arrived(2)[1]
    Webhook(answer["secret"]).verify(sent.raw, sent.headers)
    OwnVerifier(answer["secret"]).verify(sent.raw, sent.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(made.secret).verify(sent.raw, sent.headers)
    with pytest.raises(Refused):
        OwnVerifier(made.secret).verify(sent.raw, sent.headers)


def test_what_waits_for_its_next_attempt_gets_the_new_secret(hook):
    made = hook()
    made.answer(500, 200)
    made.insert()
    made.arrived(1)
    secret = ok(made.admin.post(f"{made.route}/rotate-secret"))["secret"]
    again = made.arrived(2)[1]
    Webhook(secret).verify(again.raw, again.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(made.secret).verify(again.raw, again.headers)


def test_test_and_repeated_deliveries_are_signed_too(hook):
    made = hook()
    ok(made.admin.post(f"{made.route}/test"))
    made.insert()
    log = made.logged(2)
    ok(made.admin.post(f"{made.route}/deliveries/{log[0]['id']}/redeliver"))
    for sent in made.arrived(3):
        Webhook(made.secret).verify(sent.raw, sent.headers)
        OwnVerifier(made.secret).verify(sent.raw, sent.headers)
