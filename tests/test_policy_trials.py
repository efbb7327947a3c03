"""Explain: POST /admin/policies/test says what a request would be answered, and agrees with the request."""

import itertools

import pytest

from support.client import ok, refused, unique

OWN = {"filter": {"ownerId": "$auth.uid"}}
POLICY = {
    "read": OWN,
    "list": {**OWN, "deniedReadFields": ["secret"]},
    "create": {"validate": "document.title != ''"},
    "update": {**OWN, "immutableFields": ["kind"]},
    "public": {"read": {"filter": {"published": True}}},
}
SCHEMA = {
    "type": "object",
    "required": ["title"],
    "properties": {
        "title": {"type": "string"},
        "kind": {"type": "string"},
        "secret": {"type": "string"},
        "published": {"type": "boolean"},
        "teamId": {"type": "string"},
    },
}
ONE = {"title": "one", "ownerId": "ada"}


def explain(api, **body):
    return ok(api.post("/admin/policies/test", body))


def refusal(api, status, code, at=None, **body):
    return refused(api.post("/admin/policies/test", body), status, code, at)


def steps(result) -> dict:
    return {step["step"]: step for step in result["steps"]}


@pytest.fixture(scope="module")
def notes(project):
    return project.collection(policy=POLICY, schema=SCHEMA)


@pytest.fixture(scope="module")
def note(notes, alice):
    return alice.create(notes, {"title": "mine", "kind": "a"})["id"]


def test_says_step_by_step_why(admin, notes, note, alice, bob):
    seen = explain(admin, caller={"user": alice.id}, collection=notes, operation="read", id=note)
    assert set(seen) == {"allowed", "status", "steps"} and seen["allowed"] is True and seen["status"] == 200
    found = steps(seen)
    assert found["permission"]["passed"] is True and found["permission"]["needed"] == f"data:{notes}:read"
    assert found["rule"]["source"] == "own" and found["rule"]["rule"] == OWN
    assert found["placeholders"]["values"] == {"$auth.uid": alice.id} and found["placeholders"]["unresolved"] == []
    assert found["filter"]["filter"] == {"ownerId": alice.id}
    assert found["document"]["found"] is True
    (condition,) = found["document"]["conditions"]
    assert condition["path"] == "ownerId" and condition["value"] == alice.id and condition["passed"] is True

    hidden = explain(admin, caller={"user": bob.id}, collection=notes, operation="read", id=note)
    assert (hidden["allowed"], hidden["status"], hidden["code"]) == (False, 404, "NOT_FOUND")
    assert steps(hidden)["document"]["passed"] is False
    refused(bob.get(f"/{notes}/{note}"), 404, "NOT_FOUND")


def test_writes_name_what_they_do_not_check_and_write_nothing(project, admin, notes, note, alice):
    before = ok(alice.get(f"/{notes}/{note}"))
    as_alice = {"caller": {"user": alice.id}, "collection": notes}
    changed = explain(admin, **as_alice, operation="update", id=note, body={"title": "new"})
    assert changed["allowed"] is True and changed["notChecked"]
    breach = explain(admin, **as_alice, operation="update", id=note, body={"$set": {"kind": "b"}})
    assert (breach["allowed"], breach["status"]) == (False, 403)
    assert steps(breach)["fields"]["immutable"] == ["kind"]
    whole = explain(admin, **as_alice, operation="update", id=note, body={"title": "x", "kind": "a"}, replace=True)
    assert whole["allowed"] is True
    made = explain(admin, **as_alice, operation="create", body={"title": "new"})
    assert made["allowed"] is True
    empty = explain(admin, **as_alice, operation="create", body={"title": ""})
    assert (empty["allowed"], empty["status"]) == (False, 403)
    assert steps(empty)["validate"]["expression"] == POLICY["create"]["validate"]
    wrong = explain(admin, **as_alice, operation="create", body={"title": 5})
    assert (wrong["status"], wrong["code"]) == (400, "VALIDATION") and steps(wrong)["schema"]["passed"] is False
    assert ok(alice.get(f"/{notes}/{note}")) == before
    assert [one["id"] for one in alice.list(notes)] == [note]


def test_callers_of_every_form(project, admin, notes, alice):
    document = {"id": "d", "title": "t", "ownerId": "ada", "published": True}
    about = {"collection": notes, "operation": "read", "document": document}
    role = project.enduser_role("data:*:list")
    key = project.api_key("read")
    member = project.member("Viewer")
    for caller, status in [
        ({"role": "user", "uid": "ada"}, 200),
        ({"role": "user", "uid": "bob"}, 404),
        ({"role": "user"}, 404),
        ({"role": "user", "uid": "ada", "claims": {"email": "a@example.com"}}, 200),
        ({"role": role, "uid": "ada"}, 403),
        ({"user": alice.id}, 404),
        ({"key": key.id}, 404),
        ({"member": member.user.id}, 404),
        ({"anonymous": True}, 200),
    ]:
        result = explain(admin, **about, caller=caller)
        assert result["status"] == status, (caller, result)
    assert explain(admin, **about | {"operation": "list"}, caller={"anonymous": True})["status"] == 401


def test_drafts_take_the_place_of_what_is_saved(project, admin, notes, note, bob):
    about = {"caller": {"user": bob.id}, "collection": notes, "operation": "read", "id": note}
    assert explain(admin, **about)["status"] == 404
    assert explain(admin, **about, policy={"read": {}})["allowed"] is True
    assert explain(admin, **about, policy=None)["status"] == 403
    memberships = project.collection(policy=None, indexes=[{"keys": {"userId": 1}}])
    ok(admin.post(f"/admin/collections/{memberships}/documents", {"userId": bob.id, "teamId": "t"}), 201)
    name = unique("s").replace("x", "X")
    drafts = {
        "policy": {"read": {"filter": {"teamId": {"$in": f"$auth.sets.{name}"}}}},
        "sets": [{"name": name, "collection": memberships, "where": {"userId": "$auth.uid"}, "value": "teamId"}],
    }
    ours = {"caller": {"user": bob.id}, "collection": notes, "operation": "read", **drafts}
    assert explain(admin, **ours, document={"id": "a", "title": "a", "teamId": "t"})["allowed"] is True
    assert explain(admin, **ours, document={"id": "a", "title": "a", "teamId": "u"})["status"] == 404
    # None of it was saved.
    assert name not in [each["name"] for each in ok(admin.get("/admin/policies/sets"))["sets"]]
    assert ok(admin.get(f"/admin/collections/{notes}/policy"))["policy"] == POLICY
    assert explain(admin, **about)["status"] == 404


def test_agrees_with_the_request(project, admin, notes, alice, bob):
    ids = [alice.create(notes, {"title": "a", "published": each})["id"] for each in (True, False)]
    bodies = [{"title": "x"}, {"$set": {"kind": "z"}}, {"$unset": {"title": 1}}, {"title": 7}, {"$bad": 1}]
    for user, id in itertools.product((alice, bob), (*ids, "missing")):
        about = {"caller": {"user": user.id}, "collection": notes, "id": id}
        for operation, call in [
            ("read", lambda user=user, id=id: user.get(f"/{notes}/{id}")),
            *(("update", lambda user=user, id=id, body=body: user.patch(f"/{notes}/{id}", body)) for body in bodies),
            ("delete", lambda user=user, id=id: user.delete(f"/{notes}/{id}")),
        ]:
            body = {"body": call.__defaults__[2]} if operation == "update" else {}
            told = explain(admin, **about, operation=operation, **body)
            response = call()
            assert told["allowed"] == (response.status_code < 400), (operation, id, body, told, response.text)
            if not told["allowed"]:
                error = response.json()["error"]
                assert (told["status"], told["code"]) == (response.status_code, error["code"]), (operation, id, body)


def test_buckets(project, admin, alice):
    bucket = unique("bucket")
    rules = {"read": {"filter": {"ownerId": "$auth.uid"}}, "create": {"validate": "file.size < 100"}}
    ok(admin.post("/admin/storage/buckets", {"name": bucket, "access": "private", "rules": rules}), 201)
    put = alice.call("PUT", f"/storage/{bucket}/a.txt", content=b"hi", headers={"content-type": "text/plain"})
    ok(put, 201)
    mine = explain(admin, caller={"user": alice.id}, bucket=bucket, operation="read", path="a.txt")
    assert mine["allowed"] is True and steps(mine)["rule"]["rule"] == rules["read"]
    other = explain(admin, caller={"role": "user", "uid": "bob"}, bucket=bucket, operation="read", path="a.txt")
    assert other["status"] == 404
    drafted = {"caller": {"role": "user"}, "bucket": bucket, "operation": "read", "path": "a.txt", "rules": {"read": {}}}
    assert explain(admin, **drafted)["allowed"] is True
    big = {"caller": {"user": alice.id}, "bucket": bucket, "operation": "create", "path": "b.txt"}
    assert explain(admin, **big, body={"contentType": "text/plain", "size": 10})["allowed"] is True
    assert explain(admin, **big, body={"contentType": "text/plain", "size": 1000})["status"] == 403
    refusal(admin, 400, "VALIDATION", "/rules/read/fly", **drafted | {"rules": {"read": {"fly": 1}}})
    refusal(admin, 404, "NOT_FOUND", **drafted | {"bucket": "missing"})
    reader = project.member(project.role("policies:read", "data:*"))
    refusal(reader, 403, "FORBIDDEN", **drafted)


def test_permissions_are_needed_before_anything_is_read(project, notes, note, alice):
    memberships = project.collection(policy=None, indexes=[{"keys": {"userId": 1}}])
    name = unique("s").replace("x", "X")
    of_set = {"name": name, "collection": memberships, "where": {"userId": "$auth.uid"}, "value": "teamId"}
    by_set = {"read": {"filter": {"teamId": {"$in": f"$auth.sets.{name}"}}}}

    def member(*permissions):
        return project.member(project.role("policies:read", *permissions))

    about = {"collection": notes, "operation": "read", "id": note, "caller": {"role": "user"}}
    refusal(member(), 403, "FORBIDDEN", **about)
    assert "data" in refusal(member(), 403, "FORBIDDEN", **about)["message"]
    reading = member(f"data:{notes}:read")
    assert explain(reading, **about)["status"] == 404
    # A user or key that does not exist is not looked up either.
    refusal(reading, 403, "FORBIDDEN", **about | {"caller": {"user": alice.id}})
    refusal(reading, 403, "FORBIDDEN", **about | {"caller": {"user": "user_00000000000000000000"}})
    refusal(reading, 403, "FORBIDDEN", **about | {"caller": {"key": "key_00000000000000000000"}})
    assert explain(member(f"data:{notes}:read", "users:read"), **about | {"caller": {"user": alice.id}})["status"] == 200
    drafts = {"policy": by_set, "sets": [of_set]}
    refusal(reading, 403, "FORBIDDEN", **about, **drafts)
    assert explain(member("data:*:read"), **about, **drafts)["status"] == 404
    unread = project.role("data:*", "users:read", "keys:read")
    refused(project.member(unread).post("/admin/policies/test", about), 403, "FORBIDDEN")
    refused(alice.post("/admin/policies/test", about), 403, "FORBIDDEN")


BAD = [
    ({"caller": {}}, "/caller"),
    ({"caller": {"role": "user", "anonymous": True}}, "/caller"),
    ({"caller": {"role": "nobody"}}, "/caller/role"),
    ({"caller": {"user": "user_00000000000000000000"}}, "/caller/user"),
    ({"caller": {"key": "key_00000000000000000000"}}, "/caller/key"),
    ({"caller": {"member": "user_00000000000000000000"}}, "/caller/member"),
    ({"caller": {"anonymous": False}}, "/caller/anonymous"),
    ({"caller": {"role": "user", "name": "x"}}, "/caller/name"),
    ({"bucket": "b"}, "/bucket"),
    ({"collection": None}, "/collection"),
    ({"operation": "fly"}, "/operation"),
    ({"operation": "admin"}, "/operation"),
    ({"operation": "create"}, "/body"),
    ({"operation": "update"}, "/body"),
    ({"operation": "read", "id": None}, "/id"),
    ({"document": {}}, "/id"),
    ({"body": {}}, "/body"),
    ({"replace": True}, "/replace"),
    ({"operation": "delete", "filter": {}}, "/filter"),
    ({"path": "a"}, "/path"),
    ({"rules": {}}, "/rules"),
    ({"policy": {"fly": {}}}, "/policy/fly"),
    ({"policy": {"read": {"filter": {"a": {"$fly": 1}}}}}, "/policy/read/filter"),
    ({"policy": {"read": {"filter": {"a": "$auth.token.unknown"}}}}, "/policy/read/filter/a"),
    ({"policy": []}, "/policy"),
    ({"sets": [{"name": "s", "collection": "missing", "where": {"userId": "$auth.uid"}, "value": "a"}]}, "/sets/0"),
    ({"sets": [{"name": "S S", "collection": "missing", "where": {}, "value": "a"}]}, "/sets/0"),
    ({"unknown": 1}, "/unknown"),
]


@pytest.mark.parametrize("change, path", BAD, ids=[path + str(at) for at, (_, path) in enumerate(BAD)])
def test_bad_input_names_its_place(admin, notes, change, path):
    body = {"caller": {"role": "user"}, "collection": notes, "operation": "read", "id": "n", **change}
    error = refusal(admin, 400, "VALIDATION", **{key: value for key, value in body.items() if value is not None})
    assert any(detail["path"].startswith(path) for detail in error["details"]), error


def test_an_unknown_collection_is_not_found(admin):
    about = {"caller": {"role": "user"}, "operation": "read", "id": "n"}
    refusal(admin, 404, "NOT_FOUND", **about, collection="missing")
    refused(admin.post("/admin/policies/test"), 400)


def test_refused_members_learn_the_rule_and_end_users_do_not(project, notes, alice):
    closed = project.collection(policy={"list": {}})
    member = project.member(project.role("data:*:read", "data:*:create"))
    assert '"read"' in refused(member.get(f"/{closed}/x"), 403, "FORBIDDEN")["message"]
    assert '"create"' in refused(member.post(f"/{notes}", {"title": ""}), 403, "FORBIDDEN")["message"]
    for response in (alice.get(f"/{closed}/x"), alice.post(f"/{notes}", {"title": ""})):
        message = refused(response, 403, "FORBIDDEN")["message"]
        assert "read" not in message and "create" not in message


def test_nothing_is_audited(project, admin, notes):
    before = len(ok(admin.get("/admin/audit", params={"limit": "1000"}))["entries"])
    explain(admin, caller={"role": "user"}, collection=notes, operation="create", body={"title": "x"})
    assert len(ok(admin.get("/admin/audit", params={"limit": "1000"}))["entries"]) == before
