"""Introspection of a project's own database, over HTTP, with the database's owner as another client."""


import bson
import pytest

from support.client import Project, ok, refused
from support.own_database import as_their_owner, made


@pytest.fixture
def theirs(database):
    """The database as its owner sees it."""
    with as_their_owner(database) as theirs:
        yield theirs


@pytest.fixture
def project(owner, database, theirs) -> Project:
    return Project(owner, made(owner, database))


def test_other_projects_have_no_introspection(owner):
    admin = owner.create_project().admin
    for call in (
        admin.get("/admin/introspect"),
        admin.get("/admin/introspect/orders"),
        admin.post("/admin/introspect/orders/import", {}),
        admin.post("/admin/introspect/orders/backfill", {}),
    ):
        refused(call, 404, "NOT_FOUND")


def test_the_list(project, theirs):
    theirs.orders.insert_many([{"total": 1}, {"total": 2}])
    theirs.create_collection("recent", viewOn="orders", pipeline=[])
    theirs.create_collection("log", capped=True, size=10_000)
    theirs.users.insert_one({})
    theirs["my.things"].insert_one({})
    ok(project.admin.post("/admin/introspect/orders/import", {"name": "purchases"}), 201)
    listed = ok(project.admin.get("/admin/introspect"))["collections"]
    sizes = {each["name"]: (each.pop("documents"), each.pop("sizeBytes")) for each in listed}
    assert listed == [
        {"name": "log", "imported": None, "importable": False, "reason": "capped"},
        {"name": "my.things", "imported": None, "importable": False, "reason": "name"},
        {"name": "orders", "imported": "purchases", "importable": True},
        {"name": "recent", "imported": None, "importable": False, "reason": "view"},
        {"name": "users", "imported": None, "importable": False, "reason": "reserved"},
    ]
    assert sizes["orders"][0] == 2 and sizes["orders"][1] > 40
    assert sizes["recent"] == (None, None)


def test_a_report_has_types_and_no_values(project, theirs):
    theirs.orders.insert_many(
        [
            {"total": n if n % 5 < 3 else n + 0.5, "who": bson.ObjectId(), "note": "secret-value", "tags": ["a", 1]}
            for n in range(60)
        ]
    )
    response = project.admin.get("/admin/introspect/orders", params={"sample": 60})
    report = ok(response)
    assert "secret-value" not in response.text
    assert report["collection"] == "orders" and report["sampled"] == 60 and report["verdict"] == "needs-backfill"
    assert report["stats"]["count"] == 60
    assert report["stats"]["indexes"] == [{"name": "_id_", "keys": {"_id": 1}, "unique": True}]
    assert {"path": "total", "types": {"int": 0.6, "double": 0.4}, "present": 1, "examples": 0} in report["fields"]
    assert [each["path"] for each in report["fields"]] == ["note", "tags", "tags[]", "total", "who"]
    assert report["schema"] == {
        "type": "object",
        "properties": {
            "note": {"type": "string"},
            "tags": {"type": "array", "items": {"type": ["string", "integer"]}},
            "total": {"type": "number"},
            "who": {"type": "string", "x-bson": "objectId"},
        },
        "required": ["note", "tags", "total", "who"],
    }
    assert report["ids"] == {"withId": 0, "withoutId": 60}
    some = {"code": "some-without-id", "severity": "info", "message": "60 documents have no id", "path": "/id"}
    assert some in report["problems"]


@pytest.mark.parametrize("sample", ["0", "1001", "-1", "x", "", "1.5"])
def test_bad_samples(project, theirs, sample):
    theirs.orders.insert_one({})
    refused(project.admin.get("/admin/introspect/orders", params={"sample": sample}), 400, "INVALID_PARAM")


def test_an_import_writes_nothing_and_denies_everything(project, theirs):
    theirs.orders.insert_many([{"total": n} for n in range(60)])
    before = list(theirs.orders.find())
    imported = ok(project.admin.post("/admin/introspect/orders/import", {}), 201)
    assert imported["collection"] == "orders" and imported["verdict"] == "needs-backfill"
    assert [each["code"] for each in imported["warnings"]] == ["no-pre-images"]
    assert list(theirs.orders.find()) == before and len(list(theirs.orders.list_indexes())) == 1
    assert ok(project.admin.get("/admin/collections/orders/policy")) == {"policy": {}, "source": "own"}
    schema = {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}
    assert ok(project.admin.get("/admin/collections/orders/schema"))["schema"] == schema
    refused(project.end_user().get("/orders"), 403, "FORBIDDEN")
    # Administrators read the owner's documents.
    assert ok(project.admin.get("/admin/collections/orders/documents"))["total"] == 60
    refused(project.admin.post("/admin/introspect/orders/import", {"name": "again"}), 409, "CONFLICT")
    entries = ok(project.admin.get("/admin/audit", params={"action": "introspect.imported"}))["entries"]
    assert [each["target"] for each in entries] == ["collections/orders"]


def test_an_incompatible_collection(project, theirs):
    theirs.orders.insert_many([{"id": 5}, {"id": 6}])
    for call in ("import", "backfill"):
        error = refused(project.admin.post(f"/admin/introspect/orders/{call}", {}), 409, "CONFLICT")
        assert [each["path"] for each in error["details"]] == ["/id"]
        assert error["details"][0]["message"].startswith("id-not-string: ")
    assert ok(project.admin.get("/admin/collections"))["collections"] == []


def test_a_backfill_gives_the_ids_that_were_shown(project, theirs):
    theirs.orders.insert_many([{"n": n} for n in range(150)])
    ok(project.admin.post("/admin/introspect/orders/import", {}), 201)
    page = {"limit": 200}
    shown = {each["n"]: each["id"] for each in ok(project.admin.get("/admin/collections/orders/documents", params=page))["documents"]}
    path = "/admin/introspect/orders/backfill"
    assert ok(project.admin.post(path, {"limit": 100})) == {"matched": 100, "modified": 100, "remaining": 50}
    assert "mb_id" not in theirs.orders.index_information()
    assert ok(project.admin.post(path)) == {"matched": 50, "modified": 50, "remaining": 0}
    assert theirs.orders.index_information()["mb_id"]["unique"] is True
    stored = list(theirs.orders.find())
    assert {each["n"]: each["id"] for each in stored} == shown
    assert all(set(each) == {"_id", "n", "id"} for each in stored)
    assert ok(project.admin.get("/admin/introspect/orders"))["verdict"] == "ready"
    entries = ok(project.admin.get("/admin/audit", params={"action": "introspect.backfilled"}))["entries"]
    assert [each["details"] for each in entries] == [{"matched": 50, "modified": 50}, {"matched": 100, "modified": 100}]


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_bad_limits(project, theirs, limit):
    theirs.orders.insert_one({})
    refused(project.admin.post("/admin/introspect/orders/backfill", {"limit": limit}), 400, "VALIDATION")


def test_what_permissions_are_needed(project, theirs):
    theirs.orders.insert_one({})
    reader = project.member(project.role("introspect:read"))
    ok(reader.get("/admin/introspect"))
    ok(reader.get("/admin/introspect/orders"))
    half = project.member(project.role("introspect:manage"))
    whole = project.member(project.role("introspect:manage", "collections:manage"))
    for call in ("backfill", "import"):
        for member in (reader, half):
            refused(member.post(f"/admin/introspect/orders/{call}", {}), 403, "FORBIDDEN")
        assert whole.post(f"/admin/introspect/orders/{call}", {}).status_code in (200, 201)
    refused(project.member(project.role("collections:manage")).get("/admin/introspect"), 403, "FORBIDDEN")
