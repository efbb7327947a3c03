"""Addresses that a webhook can never reach, in any notation."""

import pytest

from support.client import PlatformUser, ok, refused, unique
from support.inside_hosts import HOSTS


@pytest.fixture(scope="module")
def server_settings():
    """A server with the default rule for outbound addresses."""
    return {}


@pytest.fixture(scope="module")
def admin(server):
    return PlatformUser(server).create_project().admin


def create(admin, url):
    body = {"name": unique("h"), "collection": "c", "events": ["insert"], "url": url}
    return admin.post("/admin/webhooks", body)


@pytest.mark.parametrize("host", HOSTS)
def test_no_notation_leads_there(admin, receiver, host):
    answer = create(admin, f"http://{host}:{receiver.port}/x")
    if answer.status_code == 400:
        refused(answer, 400, "VALIDATION", "/url")
    else:
        name = ok(answer, 201)["webhook"]["name"]
        delivery = ok(admin.post(f"/admin/webhooks/{name}/test"))["delivery"]
        assert (delivery["status"], delivery["error"]) == ("failed", "request failed"), host
        assert "responseStatus" not in delivery
        ok(admin.delete(f"/admin/webhooks/{name}"), 204)
    assert receiver.connections == 0, host


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com@127.0.0.1/",
        "http://127.0.0.1#@example.com/",
        "http://user:password@example.com/",
        "http://example.com\\@127.0.0.1/",
        "http:///127.0.0.1/",
        "http://127.0.0.1 .example.com/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "//127.0.0.1/",
    ],
)
def test_urls_that_say_two_things_are_refused_or_reach_nothing(admin, receiver, url):
    answer = create(admin, url)
    if answer.status_code == 201:
        name = answer.json()["webhook"]["name"]
        assert ok(admin.post(f"/admin/webhooks/{name}/test"))["delivery"]["status"] == "failed"
        ok(admin.delete(f"/admin/webhooks/{name}"), 204)
    else:
        refused(answer, 400, "VALIDATION", "/url")
    assert receiver.connections == 0
