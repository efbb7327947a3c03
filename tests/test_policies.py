"""Collection policies: every kind of rule, on every operation."""

import json

import jwt
import pytest

from support.client import OPEN_POLICY, ok, refused

ALL = ("read", "list", "create", "update", "delete")
OWN = {"filter": {"ownerId": "$auth.uid"}}


def attempt(api, collection, operation, document_id):
    """Runs one operation on an existing document."""
    path = f"/{collection}/{document_id}"
    return {
        "read": lambda: api.get(path),
        "list": lambda: api.get(f"/{collection}"),
        "create": lambda: api.post(f"/{collection}", {"a": 1}),
        "update": lambda: api.patch(path, {"b": 1}),
        "replace": lambda: api.put(path, {"b": 1}),
        "delete": lambda: api.delete(path),
    }[operation]()


# ---- presence of rules


@pytest.mark.parametrize("missing", ALL)
def test_an_operation_without_a_rule_is_denied(project, admin, alice, missing):
    collection = project.collection(policy={name: {} for name in ALL if name != missing})
    document = admin.post(f"/admin/collections/{collection}/documents", {"a": 1}).json()["document"]
    for operation in ("read", "list", "create", "update", "replace", "delete"):
        response = attempt(alice, collection, operation, document["id"])
        if operation == missing or (operation == "replace" and missing == "update"):
            refused(response, 403, "FORBIDDEN")
        else:
            assert response.status_code < 300, response.text


def test_no_policy_denies_everybody_on_the_data_plane(project, admin, alice):
    collection = project.collection(policy=None)
    document = ok(admin.post(f"/admin/collections/{collection}/documents", {"a": 1}), 201)["document"]
    for api in (alice, admin, project.api_key("admin"), project.member("Admin")):
        for operation in ("read", "list", "create", "update", "replace", "delete"):
            refused(attempt(api, collection, operation, document["id"]), 403, "FORBIDDEN")


def test_both_gates_must_pass(project):
    collection = project.collection()
    reader = project.end_user(project.enduser_role("data:*:read", "data:*:list"))
    ok(reader.get(f"/{collection}"))
    refused(reader.post(f"/{collection}", {"a": 1}), 403)


# ---- filter


def test_own_documents_only(project, alice, bob):
    collection = project.collection(
        policy={"create": {}, **{name: OWN for name in ("read", "list", "update", "delete")}}
    )
    mine, other = alice.create(collection, {"n": 1}), bob.create(collection, {"n": 2})
    assert [item["id"] for item in alice.list(collection)] == [mine["id"]]
    for operation in ("read", "update", "replace", "delete"):
        refused(attempt(alice, collection, operation, other["id"]), 404, "NOT_FOUND")
    for filter in (
        {},
        {"n": 2},
        {"ownerId": bob.id},
        {"$or": [{"ownerId": bob.id}, {"n": {"$exists": True}}]},
        {"$nor": [{"ownerId": alice.id}]},
        {"ownerId": {"$ne": alice.id}},
    ):
        assert other["id"] not in [item["id"] for item in alice.list(collection, filter)]
    assert ok(bob.get(f"/{collection}/{other['id']}"))["document"] == other
    for operation in ("read", "update", "replace", "delete"):
        assert attempt(alice, collection, operation, mine["id"]).status_code < 300


def test_read_and_list_are_apart(project, alice, bob):
    collection = project.collection(policy={"create": {}, "read": {}, "list": OWN})
    other = bob.create(collection, {"n": 2})
    assert alice.list(collection) == []
    ok(alice.get(f"/{collection}/{other['id']}"))


def test_update_filter_is_evaluated_on_the_document_before(project, alice):
    collection = project.collection(policy={**OPEN_POLICY, "update": {"filter": {"state": "draft"}}})
    document = alice.create(collection, {"state": "draft"})
    path = f"/{collection}/{document['id']}"
    ok(alice.patch(path, {"state": "final"}), 204)
    refused(alice.patch(path, {"state": "draft"}), 404)
    refused(alice.put(path, {"state": "draft"}), 404)


def test_create_filter_is_evaluated_on_the_document_after(project, alice):
    collection = project.collection(
        policy={**OPEN_POLICY, "create": {"filter": {"state": "draft", "ownerId": "$auth.uid"}}}
    )
    alice.create(collection, {"state": "draft"})
    refused(alice.post(f"/{collection}", {"state": "final"}), 403, "FORBIDDEN")
    refused(alice.post(f"/{collection}", {}), 403, "FORBIDDEN")


@pytest.mark.parametrize(
    "filter, found",
    [
        ({"who": "$auth.uid"}, {"uid"}),
        ({"who": "$auth.role"}, {"role"}),
        ({"who": "$auth.pid"}, {"pid"}),
        ({"$or": [{"who": "$auth.uid"}, {"who": "$auth.pid"}]}, {"uid", "pid"}),
        ({"who": {"$in": ["$auth.uid", "$auth.role"]}}, {"uid", "role"}),
        ({"who": {"$ne": "$auth.uid"}}, {"role", "pid", "literal", "none"}),
        ({"list": "$auth.uid"}, {"uid"}),
        ({"who": "x$auth.uid"}, {"literal"}),
        ({"who": "$auth.token.sub"}, {"uid"}),
        ({"deep.who": "$auth.uid"}, {"uid"}),
        ({"list": {"$elemMatch": {"$eq": "$auth.uid"}}}, {"uid"}),
    ],
    ids=lambda value: str(value if isinstance(value, dict) else sorted(value)),
)
def test_placeholders(project, admin, alice, filter, found):
    collection = project.collection(policy={"list": {"filter": filter}})
    values = {"uid": alice.id, "role": "user", "pid": project.id, "literal": "x$auth.uid", "none": None}
    for name, value in values.items():
        body = {"id": name, "who": value, "list": [value] if name == "uid" else [], "deep": {"who": value}}
        ok(admin.post(f"/admin/collections/{collection}/documents", body), 201)
    assert {item["id"] for item in alice.list(collection)} == found


@pytest.mark.parametrize("claim", ["iss", "aud", "sub", "sid", "pid", "role"])
def test_claims_of_a_token(project, admin, alice, claim):
    """$auth.token.<claim>: the values in the caller's token."""
    claims = jwt.decode(alice.token, options={"verify_signature": False})
    collection = project.collection(policy={"list": {"filter": {"who": f"$auth.token.{claim}"}}})
    ok(admin.post(f"/admin/collections/{collection}/documents", {"id": "one", "who": claims[claim]}), 201)
    ok(admin.post(f"/admin/collections/{collection}/documents", {"id": "two", "who": "other"}), 201)
    assert [item["id"] for item in alice.list(collection)] == ["one"]


@pytest.mark.parametrize("placeholder", ["$auth.token.nothing", "$auth.token.a.b", "$auth.token.email"])
def test_a_placeholder_that_cannot_be_resolved_denies(owner, placeholder):
    project = owner.create_project()
    admin, alice = project.admin, project.end_user()
    # Claims that tokens of the project can hold, of which alice's holds none.
    ok(owner.patch(f"/control/projects/{project.id}", {"settings": {"tokenClaims": ["nothing", "a"]}}), 204)
    collection = project.collection(
        policy={
            **OPEN_POLICY,
            "list": {"filter": {"who": placeholder}},
            "read": {"filter": {"who": {"$ne": placeholder}}},
        }
    )
    ok(admin.post(f"/admin/collections/{collection}/documents", {"id": "one", "who": None}), 201)
    if placeholder != "$auth.token.email":
        refused(alice.get(f"/{collection}"), 403, "FORBIDDEN")
        refused(alice.get(f"/{collection}/one"), 403, "FORBIDDEN")
    for api in (admin, project.api_key("read")):
        refused(api.get(f"/{collection}"), 403, "FORBIDDEN")


@pytest.mark.parametrize(
    "filter",
    [
        {"who": "$auth.nothing"},
        {"who": "$auth."},
        {"who": "$auth.token."},
        {"who": "$auth"},
        {"$where": "1"},
        {"who": {"$nonsense": 1}},
        {"$or": []},
        [],
        5,
        "x",
    ],
    ids=json.dumps,
)
def test_filters_that_cannot_be_saved(project, admin, filter):
    collection = project.collection(policy=None)
    refused(admin.put(f"/admin/collections/{collection}/policy", {"read": {"filter": filter}}), 400)
    assert ok(admin.get(f"/admin/collections/{collection}/policy"))["source"] == "default"


def test_roles_in_filters(project, alice):
    editor = project.enduser_role("data:*", name="chief")
    collection = project.collection(policy={**OPEN_POLICY, "list": {"filter": {"for": "$auth.role"}}})
    chief = project.end_user(editor)
    for role in ("chief", "user", "Owner", "apikey"):
        alice.create(collection, {"for": role})
    for api, role in ((chief, "chief"), (alice, "user"), (project.admin, "Owner"), (project.api_key("read"), "apikey")):
        assert [item["for"] for item in api.list(collection)] == [role]


# ---- fields


def test_denied_read_fields(project, admin, alice):
    collection = project.collection(
        policy={
            **OPEN_POLICY,
            "read": {"deniedReadFields": ["secret", "deep.hidden"]},
            "list": {"deniedReadFields": ["items.cost"]},
        }
    )
    body = {"secret": 1, "open": 1, "deep": {"hidden": 1, "seen": 1}, "items": [{"cost": 1, "name": "a"}, {"cost": 2}]}
    created = ok(alice.post(f"/{collection}", body), 201)["document"]
    visible = {"open": 1, "deep": {"seen": 1}, "items": [{"name": "a"}, {}]}

    def check(document):
        assert {key: value for key, value in document.items() if key in body} == visible

    check(created)
    check(ok(alice.get(f"/{collection}/{created['id']}"))["document"])
    check(alice.list(collection)[0])
    check(project.api_key("read").list(collection)[0])
    check(admin.list(collection)[0])
    stored = ok(admin.get(f"/admin/collections/{collection}/documents/{created['id']}"))["document"]
    assert {key: stored[key] for key in body} == body


@pytest.mark.parametrize(
    "filter",
    [
        {"secret": 1},
        {"secret": {"$gt": 0}},
        {"secret": {"$exists": True}},
        {"secret.x": 1},
        {"secret.0": 1},
        {"$or": [{"open": 1}, {"secret": 1}]},
        {"$nor": [{"secret": 1}]},
        {"secret": {"$not": {"$gt": 1}}},
        {"deep": {"hidden": 1}},
        {"deep.hidden": 1},
        {"deep": {"$exists": True}},
        {"deep.hidden.0.x": 1},
        {"items.cost": 1},
        {"items.0.cost": 1},
        {"items": {"$elemMatch": {"cost": 1}}},
        {"items": {"$size": 1}},
        {"$and": [{"$and": [{"secret": 1}]}]},
        {"items": {"$elemMatch": {"$or": [{"cost": 1}]}}},
    ],
    ids=json.dumps,
)
def test_denied_fields_cannot_be_asked_for(project, alice, filter):
    collection = project.collection(
        policy={**OPEN_POLICY, "list": {"deniedReadFields": ["secret", "deep.hidden", "items.cost"]}}
    )
    alice.create(collection, {"secret": 1, "open": 1, "deep": {"hidden": 1}, "items": [{"cost": 1}]})
    refused(alice.get(f"/{collection}", params={"filter": json.dumps(filter)}), 403, "FORBIDDEN")


def test_immutable_fields(project, alice):
    collection = project.collection(
        policy={**OPEN_POLICY, "update": {"immutableFields": ["fixed", "deep.fixed", "list"]}}
    )
    document = alice.create(collection, {"fixed": 1, "free": 7, "deep": {"fixed": 1, "free": 1}, "list": [{"a": 1}]})
    path = f"/{collection}/{document['id']}"
    for update in (
        {"fixed": 2},
        {"$set": {"fixed": 2}},
        {"$inc": {"fixed": 1}},
        {"$unset": {"fixed": ""}},
        {"$rename": {"fixed": "x"}},
        {"$rename": {"free": "fixed"}},
        {"$mul": {"fixed": 2}},
        {"$max": {"fixed": 5}},
        {"$currentDate": {"fixed": True}},
        {"$bit": {"fixed": {"xor": 2}}},
        {"deep.fixed": 2},
        {"deep": {"free": 1}},
        {"deep": 1},
        {"$unset": {"deep": ""}},
        {"$push": {"list": 1}},
        {"$pop": {"list": 1}},
        {"list.0.a": 2},
        {"list.0": {}},
        {"$addToSet": {"list": 5}},
        {"$pull": {"list": {"a": 1}}},
        {"$set": {"fixed.x": 1}},
        {"$set": {"list.5": 1}},
    ):
        response = alice.patch(path, update)
        assert response.status_code in (400, 403), f"{update}: {response.text}"
        if response.status_code == 400:
            refused(response, 400, "INVALID_UPDATE")
    for body in (
        {},
        {"fixed": 2, "deep": {"fixed": 1}, "list": [{"a": 1}]},
        {"fixed": 1, "deep": {"fixed": 2}, "list": [{"a": 1}]},
        {"fixed": 1, "list": [{"a": 1}]},
    ):
        refused(alice.put(path, body), 403, "FORBIDDEN")
    assert ok(alice.get(path))["document"] == document
    ok(alice.patch(path, {"free": 2, "deep.free": 2, "more": 1}), 204)
    ok(alice.put(path, {"fixed": 1, "deep": {"fixed": 1}, "list": [{"a": 1}]}), 204)


def test_immutable_field_that_is_not_there_yet(project, alice):
    collection = project.collection(policy={**OPEN_POLICY, "update": {"immutableFields": ["fixed"]}})
    document = alice.create(collection, {"free": 1})
    refused(alice.patch(f"/{collection}/{document['id']}", {"fixed": 1}), 403, "FORBIDDEN")


def test_allowed_write_fields(project, alice):
    collection = project.collection(
        policy={
            **OPEN_POLICY,
            "create": {"allowedWriteFields": ["title", "deep.x"]},
            "update": {"allowedWriteFields": ["title", "deep.x"]},
        }
    )
    document = alice.create(collection, {"title": "a", "deep": {"x": 1}})
    path = f"/{collection}/{document['id']}"
    for body in ({"title": "a", "other": 1}, {"deep": {"y": 1}}, {"deep": {"x": 1, "y": 2}}, {"other": None}):
        refused(alice.post(f"/{collection}", body), 403, "FORBIDDEN")
    for update in (
        {"other": 1},
        {"deep.y": 1},
        {"$inc": {"other": 1}},
        {"$rename": {"title": "other"}},
        {"deep": {"y": 1}},
        {"$push": {"other": 1}},
        {"title": "b", "other": 1},
    ):
        refused(alice.patch(path, update), 403, "FORBIDDEN")
    refused(alice.put(path, {"title": "b", "other": 1}), 403, "FORBIDDEN")
    assert ok(alice.get(path))["document"] == document
    ok(alice.patch(path, {"title": "b", "deep.x": 2}), 204)
    ok(alice.put(path, {"title": "c"}), 204)
    alice.create(collection, {"id": "given", "title": "b"})


# ---- the form of a policy


@pytest.mark.parametrize(
    "policy",
    [
        {"reading": {}},
        {"read": {"filters": {}}},
        {"read": 5},
        {"read": []},
        {"read": None},
        {"read": {"validate": "true"}},
        {"list": {"validate": "true"}},
        {"delete": {"validate": "true"}},
        {"read": {"immutableFields": ["a"]}},
        {"create": {"immutableFields": ["a"]}},
        {"delete": {"immutableFields": ["a"]}},
        {"read": {"allowedWriteFields": ["a"]}},
        {"delete": {"allowedWriteFields": ["a"]}},
        {"create": {"deniedReadFields": ["a"]}},
        {"update": {"deniedReadFields": ["a"]}},
        {"delete": {"deniedReadFields": ["a"]}},
        {"read": {"deniedReadFields": "a"}},
        {"read": {"deniedReadFields": [1]}},
        {"read": {"deniedReadFields": [""]}},
        {"read": {"deniedReadFields": ["a..b"]}},
        {"update": {"immutableFields": ["$a"]}},
        {"update": {"immutableFields": {}}},
        {"create": {"allowedWriteFields": [None]}},
        {"create": {"validate": 5}},
        {"create": {"validate": ["true"]}},
        {"create": {"validate": {"$ne": 1}}},
    ],
    ids=json.dumps,
)
def test_policies_refused_at_save(project, admin, policy):
    collection = project.collection()
    error = refused(admin.put(f"/admin/collections/{collection}/policy", policy), 400, "VALIDATION")
    (operation,) = policy
    assert any(detail["path"].startswith(f"/{operation}") for detail in error["details"])
    assert ok(admin.get(f"/admin/collections/{collection}/policy")) == {"policy": OPEN_POLICY, "source": "own"}


def test_all_problems_of_a_policy_are_reported(project, admin):
    collection = project.collection(policy=None)
    error = refused(
        admin.put(
            f"/admin/collections/{collection}/policy",
            {
                "read": {"validate": "true"},
                "create": {"validate": "1 +"},
                "nothing": {},
                "update": {"filter": {"$where": "x"}},
            },
        ),
        400,
        "VALIDATION",
    )
    assert {detail["path"].split("/")[1] for detail in error["details"]} == {"read", "create", "nothing", "update"}


def test_changes_are_live(project, admin, alice):
    collection = project.collection(policy={"create": {}})
    refused(alice.get(f"/{collection}"), 403)
    for _ in range(10):
        ok(admin.put(f"/admin/collections/{collection}/policy", {"create": {}, "list": {}}), 204)
        ok(alice.get(f"/{collection}"))
        ok(admin.put(f"/admin/collections/{collection}/policy", {"create": {}}), 204)
        refused(alice.get(f"/{collection}"), 403)


# ---- the operation admin


def test_admin_rule(project, admin, alice, bob):
    policy = {
        "create": {},
        **{name: OWN for name in ("read", "list", "update", "delete")},
        "admin": {"filter": {"public": True}},
    }
    collection = project.collection(policy=policy)
    public, private = alice.create(collection, {"public": True}), alice.create(collection, {"public": False})
    moderator = project.end_user(project.enduser_role("data:*", f"data:{collection}:admin"))
    wildcard = project.end_user(project.enduser_role("*"))
    for api in (moderator, admin, project.api_key("admin")):
        assert [item["id"] for item in api.list(collection)] == [public["id"]]
        refused(api.get(f"/{collection}/{private['id']}"), 404)
        ok(api.patch(f"/{collection}/{public['id']}", {"touched": True}), 204)
    for api in (wildcard, bob, project.api_key("read", "write")):
        assert api.list(collection) == []
        refused(api.get(f"/{collection}/{public['id']}"), 404)
    made = ok(moderator.post(f"/{collection}", {"ownerId": alice.id, "public": True}), 201)["document"]
    assert made["ownerId"] == alice.id
    ok(moderator.patch(f"/{collection}/{made['id']}", {"ownerId": bob.id}), 204)
    assert ok(bob.get(f"/{collection}/{made['id']}"))["document"]["ownerId"] == bob.id


def test_admin_permission_without_an_admin_rule(project, alice):
    collection = project.collection(policy={"create": {}, "list": OWN})
    alice.create(collection, {"a": 1})
    moderator = project.end_user(project.enduser_role("data:*", f"data:{collection}:admin"))
    assert moderator.list(collection) == []
    refused(moderator.get(f"/{collection}/x"), 403)
