"""Webhooks as part of a project's configuration: export, import, environments, promotion."""

import pytest

from support.client import ok, refused

HOOKS = [
    {
        "name": "orders",
        "collection": "orders",
        "events": ["insert", "delete"],
        "url": "https://example.com/orders",
        "headers": {"A-b": "1", "x-team": "shop"},
        "fields": ["customer.name", "total"],
    },
    {"name": "Plain", "collection": "later", "events": ["update"], "url": "https://example.com/", "headers": {}},
]


def make(admin, hooks=HOOKS):
    return [ok(admin.post("/admin/webhooks", hook), 201) for hook in reversed(hooks)]


def exported(admin) -> dict:
    return ok(admin.get("/admin/config-export"))


def importing(admin, *webhooks, status=200, **params):
    document = {"formatVersion": 1, "webhooks": list(webhooks)}
    return ok(admin.post("/admin/config-import", document, params=params), status)


@pytest.fixture
def source(owner):
    project = owner.create_project()
    make(project.admin)
    return project


@pytest.fixture
def fresh(owner):
    return owner.create_project()


def test_an_export_holds_what_is_no_secret_by_name(source):
    assert exported(source.admin)["webhooks"] == [HOOKS[1], HOOKS[0]]


def test_an_imported_one_is_disabled_and_has_no_secret(source, fresh):
    document = exported(source.admin)
    done = ok(fresh.admin.post("/admin/config-import", document))
    changes = [each for each in done["plan"]["changes"] if each["section"] == "webhooks"]
    assert [(each["name"], each["action"], each["before"]) for each in changes] == [
        ("Plain", "create", None),
        ("orders", "create", None),
    ]
    for webhook in ok(fresh.admin.get("/admin/webhooks"))["webhooks"]:
        assert webhook["enabled"] is False and webhook["secret"] == {"configured": False}
    refused(fresh.admin.patch("/admin/webhooks/orders", {"enabled": True}), 409, "CONFLICT")
    refused(fresh.admin.post("/admin/webhooks/orders/test"), 409, "CONFLICT")
    assert exported(fresh.admin)["webhooks"] == document["webhooks"]
    again = ok(fresh.admin.post("/admin/config-import", document))
    assert again["plan"]["summary"]["create"] == again["plan"]["summary"]["update"] == 0
    # Rotating gives it a secret; then it can be enabled.
    assert ok(fresh.admin.post("/admin/webhooks/orders/rotate-secret"))["secret"].startswith("whsec_")
    ok(fresh.admin.patch("/admin/webhooks/orders", {"enabled": True}), 204)


def test_one_that_stands_keeps_its_state_and_secret(source):
    ok(source.admin.patch("/admin/webhooks/Plain", {"enabled": False}), 204)
    moved = {**HOOKS[0], "url": "https://example.org/new"}
    del moved["fields"]
    done = importing(source.admin, moved, {**HOOKS[1], "enabled": True})
    assert [(each["name"], each["action"]) for each in done["plan"]["changes"]] == [
        ("Plain", "unchanged"),
        ("orders", "update"),
    ]
    orders = ok(source.admin.get("/admin/webhooks/orders"))["webhook"]
    assert orders["url"] == "https://example.org/new" and "fields" not in orders
    assert orders["enabled"] is True and orders["secret"] == {"configured": True}
    assert ok(source.admin.get("/admin/webhooks/Plain"))["webhook"]["enabled"] is False


def test_every_problem_is_told_and_nothing_is_done(source):
    before = exported(source.admin)["webhooks"]
    document = {
        "formatVersion": 1,
        "webhooks": [
            {**HOOKS[0], "events": ["all"]},
            {**HOOKS[0], "name": "PLAIN"},
            {**HOOKS[0], "name": "twice"},
            {**HOOKS[0], "name": "Twice"},
            {**HOOKS[0], "name": "n", "secret": "whsec_x"},
            {"name": "half"},
            7,
        ],
    }
    error = refused(source.admin.post("/admin/config-import", document), 400, "VALIDATION")
    assert {
        "/webhooks/0/events/0",
        "/webhooks/1/name",
        "/webhooks/3/name",
        "/webhooks/4/secret",
        "/webhooks/5/url",
        "/webhooks/6",
    } <= {detail["path"] for detail in error["details"]}
    assert exported(source.admin)["webhooks"] == before


def test_a_change_takes_the_permission_of_webhooks(source):
    member = source.member(source.role("config:manage", "webhooks:read"))
    changed = {"formatVersion": 1, "webhooks": [{**HOOKS[0], "url": "https://a.example/"}]}
    refused(member.post("/admin/config-import", changed), 403, "FORBIDDEN")
    ok(member.post("/admin/config-import", {"formatVersion": 1, "webhooks": HOOKS}))


def test_environments_and_promotion_carry_them(owner, source):
    stage = ok(owner.post(f"/control/projects/{source.id}/environments", {"environment": "stage"}), 201)["project"]
    assert not stage.get("warnings"), stage
    admin = owner.exchange(stage["id"])
    assert exported(admin)["webhooks"] == exported(source.admin)["webhooks"]
    assert {each["enabled"] for each in ok(admin.get("/admin/webhooks"))["webhooks"]} == {False}
    ok(admin.patch("/admin/webhooks/orders", {"url": "https://stage.example/"}), 204)
    body = {"fromProjectId": stage["id"], "toProjectId": source.id}
    ok(owner.post("/control/environments/promote", body))
    orders = ok(source.admin.get("/admin/webhooks/orders"))["webhook"]
    assert orders["url"] == "https://stage.example/" and orders["enabled"] is True
    assert orders["secret"] == {"configured": True}
