"""Imports and promotions run the stored tests against what would be, and apply nothing where one fails."""

import pytest

from support.client import ok, refused
from support.policy_tests import HIDDEN, OWN

OPEN = {"read": {}}
AT = "/collections/notes/policyTests/0"
CODE = "export default async (event, ctx) => ({ status: 200, body: { n: %d } });"
CASE = {"name": "answers one", "event": {"method": "GET"}, "expect": {"status": 200, "result": {"body": {"n": 1}}}}


def notes(policy, *tests, **more) -> dict:
    entry = {"name": "notes", "policy": policy, **({"policyTests": list(tests)} if tests else {})}
    return {"formatVersion": 1, "collections": [entry], **more}


def function(number: int) -> dict:
    trigger = {"type": "http", "method": "GET", "path": "/one"}
    return {"name": "one", "trigger": trigger, "code": CODE % number, "tests": [CASE]}


def importing(api, document, **params):
    return api.post("/admin/config-import", document, params=params)


def last_import(api) -> dict:
    return ok(api.get("/admin/audit", params={"action": "config.import", "limit": "1"}))["entries"][0]


@pytest.fixture
def shop(owner):
    return owner.create_project()


def test_a_failing_test_stops_the_import(shop):
    admin = shop.admin
    for params in ({}, {"dryRun": "1"}, {"skipTests": "0"}):
        error = refused(importing(admin, notes(OPEN, HIDDEN), **params), 409, "TESTS_FAILED", AT)
        (detail,) = error["details"]
        assert "strangers see nothing" in detail["message"]
        assert "hidden" in detail["message"] and "allowed" in detail["message"]
    assert ok(admin.get("/admin/collections"))["collections"] == []
    assert ok(admin.get("/admin/audit", params={"action": "config.import"}))["entries"] == []

    ok(importing(admin, notes(OWN, HIDDEN)))
    assert ok(admin.get("/admin/collections/notes/policy-tests"))["tests"] == [HIDDEN]
    assert "skipTests" not in last_import(admin)["details"]
    # The project's own tests run too, where the document does not name them.
    refused(importing(admin, notes(OPEN)), 409, "TESTS_FAILED", AT)
    refused(importing(admin, {"formatVersion": 1, "collections": [{"name": "notes", "policy": None}]}), 409)
    assert ok(admin.get("/admin/collections/notes/policy"))["policy"] == OWN
    # A dry run with skipTests shows the plan.
    assert ok(importing(admin, notes(OPEN), dryRun="1", skipTests="1"))["plan"]["summary"]["update"] == 1
    ok(importing(admin, notes(OPEN), skipTests="1"))
    assert last_import(admin)["details"]["skipTests"] is True
    ok(importing(admin, notes(OWN), skipTests="1"))
    assert last_import(admin)["details"]["skipTests"] is True, "also where all would pass"
    refused(importing(admin, notes(OWN), skipTests="yes"), 400, "INVALID_PARAM")


def test_export_and_import_are_one(shop, owner):
    ok(importing(shop.admin, notes(OWN, HIDDEN, settings={"requireTests": True})))
    exported = ok(shop.admin.get("/admin/config-export"))
    assert exported["collections"] == [{"name": "notes", "policy": OWN, "policyTests": [HIDDEN], "indexes": []}]
    assert exported["settings"] == {"requireTests": True}
    other = owner.create_project()
    ok(importing(other.admin, exported))
    again = ok(other.admin.get("/admin/config-export"))
    assert again["collections"] == exported["collections"] and again["settings"] == exported["settings"]
    assert ok(importing(other.admin, exported, dryRun="1"))["plan"]["summary"] == {
        "create": 0,
        "update": 0,
        "unchanged": 2,
    }
    # What has none has no key for it.
    ok(importing(other.admin, notes(OWN, settings={"requireTests": False})))
    ok(other.admin.put("/admin/collections/notes/policy-tests", {"tests": []}), 204)
    bare = ok(other.admin.get("/admin/config-export"))
    assert "policyTests" not in bare["collections"][0] and "settings" not in bare


def test_changing_them_needs_the_permission_of_policies(shop):
    ok(importing(shop.admin, notes(OWN, HIDDEN)))
    document = {"formatVersion": 1, "collections": [{"name": "notes", "policyTests": []}]}
    limited = shop.member(shop.role("config:manage", "collections:manage"))
    refused(importing(limited, document), 403, "FORBIDDEN")
    ok(importing(shop.member(shop.role("config:manage", "policies:manage")), document))


def test_tests_of_a_document_run_without_its_import(shop):
    admin = shop.admin
    ok(importing(admin, notes(OWN, HIDDEN)))
    report = ok(admin.post("/admin/policies/tests/run", {"document": notes(OPEN)}))
    assert (report["passed"], report["failed"]) == (0, 1) and report["results"][0]["got"] == "allowed"
    assert ok(admin.post("/admin/policies/tests/run"))["failed"] == 0
    bad = {"document": notes({"fly": {}})}
    refused(admin.post("/admin/policies/tests/run", bad), 400, "VALIDATION", "/document/collections/0/policy/fly")


def test_promotions_and_environments(shop, owner):
    ok(importing(shop.admin, notes(OWN, HIDDEN)))
    made = ok(owner.post(f"/control/projects/{shop.id}/environments", {"environment": "staging"}), 201)["project"]
    staging = owner.exchange(made["id"])
    assert ok(staging.get("/admin/collections/notes/policy-tests"))["tests"] == [HIDDEN]

    def promote(**params):
        body = {"fromProjectId": made["id"], "toProjectId": shop.id}
        return owner.post("/control/environments/promote", body, params=params)

    ok(staging.put("/admin/collections/notes/policy", OPEN), 204)
    refused(promote(dryRun="1"), 409, "TESTS_FAILED", AT)
    refused(promote(), 409, "TESTS_FAILED", AT)
    assert ok(shop.admin.get("/admin/collections/notes/policy"))["policy"] == OWN
    assert ok(shop.admin.get("/admin/audit", params={"action": "environment.promoted"}))["entries"] == []
    ok(promote(skipTests="1"))
    assert ok(shop.admin.get("/admin/collections/notes/policy"))["policy"] == OPEN
    (entry,) = ok(shop.admin.get("/admin/audit", params={"action": "environment.promoted"}))["entries"]
    assert entry["details"]["skipTests"] is True and last_import(shop.admin)["details"]["skipTests"] is True


def test_the_functions_tests_run_where_the_project_requires_it(shop):
    admin, project = shop.admin, f"/control/projects/{shop.id}"
    document = {"formatVersion": 1, "functions": [function(2)]}
    ok(importing(admin, document))
    ok(shop.owner.patch(project, {"settings": {"requireTests": True}}), 204)
    assert ok(shop.owner.get(project))["project"]["settings"]["requireTests"] is True
    # Those that the project has, whatever the document is about.
    error = refused(importing(admin, notes(OWN)), 409, "TESTS_FAILED", "/functions/one/tests/0")
    assert "answers one" in error["details"][0]["message"]
    refused(importing(admin, notes(OWN, settings={"requireTests": False})), 409, "TESTS_FAILED")
    both = {**notes(OPEN, HIDDEN), "functions": [function(2)]}
    paths = [each["path"] for each in refused(importing(admin, both), 409, "TESTS_FAILED")["details"]]
    assert paths == [AT, "/functions/one/tests/0"]
    # As the import would save them.
    ok(importing(admin, {**notes(OWN, HIDDEN), "functions": [function(1)]}))
    refused(importing(admin, document), 409, "TESTS_FAILED", "/functions/one/tests/0")
    ok(importing(admin, document, skipTests="1"))
    ok(shop.owner.patch(project, {"settings": {"requireTests": False}}), 204)
    assert "requireTests" not in ok(shop.owner.get(project))["project"]["settings"]
    ok(importing(admin, document))
