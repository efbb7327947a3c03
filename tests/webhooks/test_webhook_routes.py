"""Webhooks in the admin API: create, list, read, change, rotate, delete."""

import base64
import re

import pytest

from support.client import ok, refused, unique

FIELDS = ["name", "collection", "events", "url", "headers", "enabled", "secret", "createdAt", "updatedAt"]


def body(**more):
    return {
        "name": unique("hook"),
        "collection": "orders",
        "events": ["insert"],
        "url": "https://example.com/hook",
        **more,
    }


def test_create_shows_the_webhook_and_its_secret_once(admin):
    response = admin.post("/admin/webhooks", body(name="First", events=["delete", "insert"], headers={"X-Team": "a"}))
    made = ok(response, 201)
    assert list(made) == ["webhook", "secret"]
    webhook = made["webhook"]
    assert list(webhook) == FIELDS
    assert webhook["secret"] == {"configured": True} and webhook["enabled"] is True
    assert webhook["events"] == ["delete", "insert"] and webhook["headers"] == {"X-Team": "a"}
    assert made["secret"].startswith("whsec_") and 24 <= len(base64.b64decode(made["secret"][6:])) <= 64
    assert ok(admin.get("/admin/webhooks/First")) == {"webhook": webhook}
    listed = admin.get("/admin/webhooks")
    assert webhook in ok(listed)["webhooks"]
    assert made["secret"] not in listed.text + admin.get("/admin/webhooks/First").text
    assert made["secret"] not in admin.get("/admin/config-export").text + admin.get("/admin/audit").text
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", webhook["createdAt"])


def test_names_are_unique_without_regard_to_case(admin):
    ok(admin.post("/admin/webhooks", body(name="Taken")), 201)
    refused(admin.post("/admin/webhooks", body(name="Taken")), 409, "CONFLICT")
    refused(admin.post("/admin/webhooks", body(name="tAKEN")), 409, "CONFLICT")
    refused(admin.get("/admin/webhooks/taken"), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    "change, path",
    [
        ({"name": "9x"}, "/name"),
        ({"name": "a b"}, "/name"),
        ({"name": "x" * 65}, "/name"),
        ({"collection": ""}, "/collection"),
        ({"collection": "__users"}, "/collection"),
        ({"collection": "users"}, "/collection"),
        ({"events": []}, "/events"),
        ({"events": ["replace"]}, "/events/0"),
        ({"events": ["insert", "*"]}, "/events/1"),
        ({"events": ["insert", "insert"]}, "/events/1"),
        ({"events": "insert"}, "/events"),
        ({"url": "example.com"}, "/url"),
        ({"url": "ftp://example.com/"}, "/url"),
        ({"url": "http://user:secret@example.com/"}, "/url"),
        ({"url": "http://exa mple.com/"}, "/url"),
        ({"url": "https://example.com/" + "x" * 9000}, "/url"),
        ({"headers": []}, "/headers"),
        ({"headers": {"host": "x"}}, "/headers/host"),
        ({"headers": {"Content-Length": "1"}}, "/headers/Content-Length"),
        ({"headers": {"content-type": "text/plain"}}, "/headers/content-type"),
        ({"headers": {"x-service-signature": "t=1"}}, "/headers/x-service-signature"),
        ({"headers": {"Webhook-Id": "1"}}, "/headers/Webhook-Id"),
        ({"headers": {"webhook-signature": "1"}}, "/headers/webhook-signature"),
        ({"headers": {"a b": "1"}}, "/headers/a b"),
        ({"headers": {"a:": "1"}}, "/headers/a:"),
        ({"headers": {"x": "a\r\nb: c"}}, "/headers/x"),
        ({"headers": {"x": "é"}}, "/headers/x"),
        ({"headers": {"x": 1}}, "/headers/x"),
        ({"headers": {"x": "1", "X": "2"}}, "/headers/X"),
        ({"headers": {"x": "y" * 9000}}, "/headers"),
        ({"fields": []}, "/fields"),
        ({"fields": ["a", "$b"]}, "/fields/1"),
        ({"fields": ["a..b"]}, "/fields/0"),
        ({"enabled": "yes"}, "/enabled"),
        ({"secret": "whsec_x"}, "/secret"),
        ({"colour": "red"}, "/colour"),
    ],
)
def test_what_cannot_be_is_refused_at_its_place(admin, change, path):
    refused(admin.post("/admin/webhooks", body(**change)), 400, "VALIDATION", path)
    if "name" in change:
        return
    name = ok(admin.post("/admin/webhooks", body(enabled=False)), 201)["webhook"]["name"]
    refused(admin.patch(f"/admin/webhooks/{name}", change), 400, "VALIDATION", path)
    ok(admin.delete(f"/admin/webhooks/{name}"), 204)


@pytest.mark.parametrize("missing", ["name", "collection", "events", "url"])
def test_what_is_needed_must_be_there(admin, missing):
    given = body()
    del given[missing]
    refused(admin.post("/admin/webhooks", given), 400, "VALIDATION", f"/{missing}")


def test_patch_changes_what_it_names(admin):
    name = ok(admin.post("/admin/webhooks", body(headers={"a": "1"}, fields=["x.y"])), 201)["webhook"]["name"]
    route = f"/admin/webhooks/{name}"
    assert admin.patch(route, {"url": "https://example.org/"}).status_code == 204
    read = ok(admin.get(route))["webhook"]
    assert read["url"] == "https://example.org/" and read["headers"] == {"a": "1"} and read["fields"] == ["x.y"]
    ok(admin.patch(route, {"headers": {"b": "2"}, "events": ["update"], "collection": "other"}), 204)
    ok(admin.patch(route, {"fields": None, "enabled": False}), 204)
    read = ok(admin.get(route))["webhook"]
    assert (read["headers"], read["events"], read["collection"]) == ({"b": "2"}, ["update"], "other")
    assert "fields" not in read and read["enabled"] is False and read["secret"] == {"configured": True}
    ok(admin.patch(route, {"headers": None}), 204)
    assert ok(admin.get(route))["webhook"]["headers"] == {}
    refused(admin.patch(route, {"name": "other"}), 400, "VALIDATION", "/name")


def test_what_is_not_there_is_404(admin):
    for method, path in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("GET", "/deliveries"),
        ("POST", "/rotate-secret"),
        ("POST", "/test"),
        ("POST", "/deliveries/dlv_00000000000000000000/redeliver"),
    ):
        given = {"json": {}} if method == "PATCH" else {}
        refused(admin.call(method, f"/admin/webhooks/none{path}", **given), 404, "NOT_FOUND")


def test_a_project_has_at_most_a_hundred(owner):
    admin = owner.create_project().admin
    for n in range(100):
        ok(admin.post("/admin/webhooks", body(name=f"h{n}")), 201)
    refused(admin.post("/admin/webhooks", body()), 409, "CONFLICT")
    assert [each["name"] for each in ok(admin.get("/admin/webhooks"))["webhooks"]] == sorted(f"h{n}" for n in range(100))


def test_permissions(project):
    reader = project.member(project.role("webhooks:read"))
    manager = project.member(project.role("webhooks:manage"))
    other = project.member(project.role("collections:manage"))
    name = ok(manager.post("/admin/webhooks", body()), 201)["webhook"]["name"]
    route = f"/admin/webhooks/{name}"
    for api in (reader, manager):
        ok(api.get("/admin/webhooks"))
        ok(api.get(route))
        assert ok(api.get(f"{route}/deliveries")) == {"deliveries": []}
    for path in ("/admin/webhooks", route, f"{route}/deliveries"):
        refused(other.get(path), 403, "FORBIDDEN")
    for api in (reader, other):
        refused(api.post("/admin/webhooks", body()), 403, "FORBIDDEN")
        refused(api.patch(route, {}), 403, "FORBIDDEN")
        refused(api.delete(route), 403, "FORBIDDEN")
        refused(api.post(f"{route}/rotate-secret"), 403, "FORBIDDEN")
        refused(api.post(f"{route}/test"), 403, "FORBIDDEN")
        refused(api.post(f"{route}/deliveries/dlv_x/redeliver"), 403, "FORBIDDEN")
    refused(project.end_user().get("/admin/webhooks"), 403, "FORBIDDEN")
    refused(project.public().get("/admin/webhooks"), 401, "UNAUTHENTICATED")
    ok(manager.delete(route), 204)


def test_other_projects_have_their_own(owner, admin):
    name = ok(admin.post("/admin/webhooks", body()), 201)["webhook"]["name"]
    elsewhere = owner.create_project().admin
    assert ok(elsewhere.get("/admin/webhooks")) == {"webhooks": []}
    refused(elsewhere.get(f"/admin/webhooks/{name}"), 404)
    ok(elsewhere.post("/admin/webhooks", body(name=name)), 201)


def test_every_change_is_on_record(owner):
    admin = owner.create_project().admin
    made = body(name="w", url="https://example.com/secret-path", headers={"key": "v-1"})
    ok(admin.post("/admin/webhooks", made), 201)
    ok(admin.patch("/admin/webhooks/w", {"enabled": False}), 204)
    ok(admin.post("/admin/webhooks/w/rotate-secret"))
    ok(admin.delete("/admin/webhooks/w"), 204)
    response = admin.get("/admin/audit")
    found = [each for each in ok(response)["entries"] if each["target"] == "webhooks/w"]
    assert [each["action"] for each in found] == [
        "webhook.deleted",
        "webhook.rotated",
        "webhook.changed",
        "webhook.created",
    ]
    assert found[3]["details"] == {
        "collection": "orders",
        "events": ["insert"],
        "origin": "https://example.com",
        "headers": ["key"],
        "enabled": True,
    }
    assert "v-1" not in response.text and "secret-path" not in response.text


def test_rename_of_the_collection_is_followed(project):
    admin = project.admin
    first, second, later = project.collection(), project.collection(), unique("c")
    ok(admin.post("/admin/webhooks", body(name="onFirst", collection=first)), 201)
    ok(admin.post("/admin/webhooks", body(name="onLater", collection=later)), 201)
    ok(admin.post(f"/admin/collections/{first}/rename", {"to": "renamed"}), 204)
    assert ok(admin.get("/admin/webhooks/onFirst"))["webhook"]["collection"] == "renamed"
    # A webhook that named the collection before its creation follows it too.
    ok(admin.post("/admin/collections", {"name": later}), 201)
    ok(admin.post(f"/admin/collections/{later}/rename", {"to": "renamedToo"}), 204)
    assert ok(admin.get("/admin/webhooks/onLater"))["webhook"]["collection"] == "renamedToo"
    # After a drop the webhook keeps the collection's name.
    ok(admin.delete("/admin/collections/renamed"), 204)
    assert ok(admin.get("/admin/webhooks/onFirst"))["webhook"]["collection"] == "renamed"
    assert second in ok(admin.get("/admin/collections"))["collections"]
