"""Buckets in the admin API."""

import pytest

from support.bucket import Bucket, blobs
from support.client import PlatformUser, ok, refused, unique
from support.waiting import wait_until

ROUTE = "/admin/storage/buckets"


def test_a_bucket_is_private_unless_it_says_otherwise(admin):
    name = unique("b")
    made = ok(admin.post(ROUTE, {"name": name}), 201)["bucket"]
    assert set(made) == {"name", "access", "createdAt"}
    assert (made["name"], made["access"]) == (name, "private")
    assert made in ok(admin.get(ROUTE))["buckets"]


def test_access_is_changed_and_audited(admin, bucket):
    made = bucket("public")
    assert ok(admin.patch(f"{ROUTE}/{made.name}", {"access": "private"}), 204) is None
    shown = [each for each in ok(admin.get(ROUTE))["buckets"] if each["name"] == made.name]
    assert [each["access"] for each in shown] == ["private"]
    entries = ok(admin.get("/admin/audit", params={"action": "bucket.changed"}))["entries"]
    assert any(entry["target"] == f"buckets/{made.name}" for entry in entries)


def test_a_deleted_bucket_takes_its_files_along(server, admin, project):
    made = Bucket(project, "public")
    before = len(blobs(server.data))
    for i in range(3):
        ok(made.put(f"a/{i}"), 201)
    ok(admin.post(f"/storage/{made.name}", {"folder": "empty"}), 201)
    assert ok(admin.delete(f"{ROUTE}/{made.name}"), 204) is None
    refused(made.get("a/1"), 404)
    refused(admin.delete(f"{ROUTE}/{made.name}"), 404)
    wait_until(lambda: len(blobs(server.data)) == before)
    # A new bucket of the same name is empty.
    ok(admin.post(ROUTE, {"name": made.name}), 201)
    assert made.list() == {"files": [], "folders": []}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"name": "1a"}, "/name"),
        ({"name": ""}, "/name"),
        ({"name": "a/b"}, "/name"),
        ({"name": ".."}, "/name"),
        ({"name": "a" * 65}, "/name"),
        ({"name": "ok", "access": "secret"}, "/access"),
        ({"name": {"$ne": ""}}, "/name"),
        ({"name": "ok", "more": 1}, "/more"),
        ({}, "/name"),
    ],
)
def test_what_a_bucket_may_not_be(admin, body, path):
    refused(admin.post(ROUTE, body), 400, "VALIDATION", path)


def test_names_are_unique_without_regard_to_case(admin, bucket):
    made = bucket()
    refused(admin.post(ROUTE, {"name": made.name.upper()}), 409, "CONFLICT")
    refused(admin.patch(f"{ROUTE}/{made.name.upper()}", {"access": "public"}), 404)
    refused(admin.patch(f"{ROUTE}/{made.name}", {"access": "open"}), 400, "VALIDATION", "/access")


def test_who_may_manage_buckets(project, bucket, alice):
    made = bucket()
    reads = project.member(project.role("storage:read"))
    ok(reads.get(ROUTE))
    refused(reads.post(ROUTE, {"name": unique("b")}), 403)
    refused(reads.delete(f"{ROUTE}/{made.name}"), 403)
    manages = project.member(project.role("storage:manage"))
    ok(manages.patch(f"{ROUTE}/{made.name}", {"access": "public"}), 204)
    for caller in (alice, project.api_key("storage")):
        refused(caller.get(ROUTE), 403)
    refused(project.public().get(ROUTE), 401)


def test_storage_may_be_off(make_server):
    server = make_server({"SERVICE_STORAGE": "off"}).start()
    owner = PlatformUser(server)
    assert ok(owner.get("/control/setup-status"))["storageEnabled"] is False
    admin = owner.create_project().admin
    for call in (
        admin.get(ROUTE),
        admin.post(ROUTE, {"name": "a"}),
        admin.patch(f"{ROUTE}/a", {"access": "public"}),
        admin.delete(f"{ROUTE}/a"),
        admin.get("/storage/bucket"),
        admin.post("/storage/bucket", {"folder": "a"}),
        admin.get("/storage/bucket/a"),
        admin.put("/storage/bucket/a/b.txt", content=b"x"),
        admin.delete("/storage/bucket/a"),
    ):
        assert refused(call, 404)["message"] == "storage is not enabled"
