"""A stand-in for the payment provider: the part of Stripe's HTTP interface that the server calls, with events that are
signed and delivered as the provider's are."""

import hashlib
import hmac
import itertools
import json
import threading
import time
from urllib.parse import parse_qs, urlsplit

from support.client import PlatformUser, ok
from support.http_stand_in import StandInHandler, StandInServer

SECRET_KEY = "sk_test_key-of-the-payment-tests"
WEBHOOK_SECRET = "whsec_secret-of-the-payment-tests"
PRICES = {"pro": "price_pro", "scale": "price_scale"}
PAGE = 100


def sign(body: bytes, secret: str = WEBHOOK_SECRET, at: int | None = None) -> str:
    """Returns the signature header of an event that is sent `at` a time in seconds (now)."""
    at = int(time.time()) if at is None else at
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def error(status: int, code: str, kind: str = "invalid_request_error") -> tuple[int, dict]:
    # The message repeats the key, as careless software might: no response or log of the server may contain it.
    return status, {"error": {"type": kind, "code": code, "message": f"refused for {SECRET_KEY}"}}


class PaymentProvider:
    """Listens on 127.0.0.1. `fault` is a status, or "garbage" for a body that is not JSON, for every call while it is
    set; calls wait while `gate` is cleared."""

    def __init__(self):
        self.subscriptions: dict[str, dict] = {}  # in the order of the provider: newest first in lists
        self.sessions: dict[str, dict] = {}  # by idempotency key
        self.calls: list[dict] = []
        self.fault: int | str | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.lock = threading.Lock()
        self.numbers = itertools.count(1)
        provider = self

        class Handler(StandInHandler):
            def do_GET(self):
                self.respond({})

            def do_POST(self):
                raw = self.body()
                self.respond({name: values[-1] for name, values in parse_qs(raw.decode(), strict_parsing=True).items()})

            def respond(self, form: dict):
                provider.gate.wait(60)
                url = urlsplit(self.path)
                query = {name: values[-1] for name, values in parse_qs(url.query).items()}
                headers = self.lower_headers()
                with provider.lock:
                    provider.calls.append(
                        {"method": self.command, "path": url.path, "query": query, "form": form, "headers": headers}
                    )
                    status, body = provider._respond(self.command, url.path, query, form, headers)
                self.reply(status, body, {"request-id": f"req_{next(provider.numbers)}"})

        self.http = StandInServer(Handler)
        self.url = self.http.url

    def settings(self, **more) -> dict:
        """Settings of a server that uses this provider."""
        return {
            "SERVICE_BILLING": "on",
            "SERVICE_BILLING_SECRET_KEY": SECRET_KEY,
            "SERVICE_BILLING_WEBHOOK_SECRET": WEBHOOK_SECRET,
            "SERVICE_BILLING_API_URL": self.url,
            **more,
        }

    # ---- the interface

    def _respond(self, method: str, path: str, query: dict, form: dict, headers: dict) -> tuple[int, dict | bytes]:
        if self.fault == "garbage":
            return 200, b"<html>not JSON</html>"
        if self.fault is not None:
            return error(self.fault, "api_error", "api_error")
        if headers.get("authorization") != f"Bearer {SECRET_KEY}":
            return error(401, "invalid_api_key")
        if "stripe-version" not in headers:
            return error(400, "missing_version")
        if method == "POST" and headers.get("content-type") != "application/x-www-form-urlencoded":
            return error(400, "wrong_content_type")
        if (method, path) == ("GET", "/v1/prices"):
            found = PRICES.get(query.get("lookup_keys[]", ""))
            data = [{"id": found, "object": "price", "lookup_key": query["lookup_keys[]"]}] if found else []
            return 200, {"object": "list", "data": data, "has_more": False}
        if (method, path) == ("POST", "/v1/checkout/sessions"):
            return self._session("cs", form, headers)
        if (method, path) == ("POST", "/v1/billing_portal/sessions"):
            return self._session("bps", form, headers)
        if (method, path) == ("GET", "/v1/subscriptions"):
            return self._list(query)
        if method == "GET" and path.startswith("/v1/subscriptions/"):
            found = self.subscriptions.get(path.removeprefix("/v1/subscriptions/"))
            return (200, found) if found else error(404, "resource_missing")
        return error(404, "unknown_path")

    def _session(self, prefix: str, form: dict, headers: dict) -> tuple[int, dict]:
        key = headers.get("idempotency-key")
        if not key:
            return error(400, "no_idempotency_key")
        session = self.sessions.get(key)
        if session and session["form"] != form:
            return error(400, "idempotency_error", "idempotency_error")
        if not session:
            id = f"{prefix}_{next(self.numbers)}"
            session = self.sessions[key] = {"id": id, "form": form, "url": f"{self.url}/pay/{id}"}
        return 200, {"id": session["id"], "url": session["url"]}

    def _list(self, query: dict) -> tuple[int, dict]:
        if query.get("status") != "all":
            return error(400, "status_missing")
        ids = list(reversed(self.subscriptions))
        start = ids.index(query["starting_after"]) + 1 if "starting_after" in query else 0
        limit = min(int(query.get("limit", 10)), PAGE)
        some = ids[start : start + limit]
        data = [self.subscriptions[id] for id in some]
        return 200, {"object": "list", "data": data, "has_more": start + limit < len(ids)}

    # ---- what happens at the provider

    def subscribe(self, user_id: str | None, plan: str = "pro", customer: str | None = None, **more) -> dict:
        """A customer pays: there is a subscription. No event is sent."""
        with self.lock:
            number = next(self.numbers)
            now = int(time.time())
            subscription = {
                "id": f"sub_{number}",
                "object": "subscription",
                "customer": customer or f"cus_{number}",
                "status": "active",
                "created": now,
                "start_date": now,
                "current_period_start": now,
                "current_period_end": now + 30 * 86400,
                "cancel_at_period_end": False,
                "canceled_at": None,
                "items": {"object": "list", "data": [{"price": {"id": PRICES[plan], "lookup_key": plan}}]},
                "metadata": {"plan": plan, **({"userId": user_id} if user_id else {})},
                **more,
            }
            self.subscriptions[subscription["id"]] = subscription
            return subscription

    def change(self, subscription: dict, **fields) -> dict:
        """Replaces fields of a subscription; `plan` names its price."""
        with self.lock:
            plan = fields.pop("plan", None)
            changed = {**self.subscriptions[subscription["id"]], **fields}
            if plan:
                changed["items"] = {"object": "list", "data": [{"price": {"id": PRICES[plan], "lookup_key": plan}}]}
            self.subscriptions[subscription["id"]] = changed
            return changed

    def event(self, kind: str, obj: dict, created: int | None = None, **more) -> dict:
        """An event of the provider, as its JSON."""
        return {
            "id": f"evt_{next(self.numbers)}",
            "object": "event",
            "type": kind,
            "created": int(time.time()) if created is None else created,
            "data": {"object": obj},
            **more,
        }

    def subscription_event(self, subscription: dict, kind: str = "updated", **more) -> dict:
        return self.event(f"customer.subscription.{kind}", subscription, **more)

    def session_event(self, subscription: dict, user_id: str | None, **more) -> dict:
        session = {
            "id": f"cs_{next(self.numbers)}",
            "object": "checkout.session",
            "mode": "subscription",
            "customer": subscription["customer"],
            "subscription": subscription["id"],
            "client_reference_id": user_id,
            "metadata": {},
        }
        return self.event("checkout.session.completed", session, **more)

    def at(self, path: str) -> list[dict]:
        with self.lock:
            return [call for call in self.calls if call["path"] == path]

    def close(self) -> None:
        self.gate.set()
        self.http.close()


def deliver(api, event, secret: str = WEBHOOK_SECRET, at: int | None = None, header: str = "stripe-signature"):
    """Sends an event to the server as the provider does; `event` is its JSON, or the bytes of a body."""
    raw = event if isinstance(event, bytes) else json.dumps(event).encode()
    headers = {"content-type": "application/json", header: sign(raw, secret, at)}
    return api.post("/billing/webhook", content=raw, headers=headers, token=None)


# ---- what a user sees


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
