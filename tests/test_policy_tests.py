"""Stored tests of policies: kept with their collection, run on the documents that they give."""

import pytest

from support.client import ok, refused, unique
from support.policy_tests import HIDDEN, OWN, SEEN

DENIED = {
    "name": "nobody writes",
    "caller": {"anonymous": True},
    "operation": "create",
    "body": {"title": "x"},
    "expect": "denied",
}


def put(api, collection, *tests):
    return api.put(f"/admin/collections/{collection}/policy-tests", {"tests": list(tests)})


def stored(api, collection):
    return ok(api.get(f"/admin/collections/{collection}/policy-tests"))["tests"]


def run(api, *collections):
    return ok(api.post("/admin/policies/tests/run", {"collections": list(collections)}))


@pytest.fixture
def notes(project):
    return project.collection(policy={**OWN, "list": OWN["read"]})


def test_are_stored_and_run(project, admin, notes):
    assert stored(admin, notes) == []
    ok(put(admin, notes, SEEN, HIDDEN, DENIED), 204)
    assert stored(admin, notes) == [SEEN, HIDDEN, DENIED]
    report = run(admin, notes)
    assert (report["passed"], report["failed"]) == (3, 0)
    assert [each["name"] for each in report["results"]] == ["owners read", "strangers see nothing", "nobody writes"]
    for each in report["results"]:
        assert set(each) == {"collection", "name", "passed", "expected", "got", "steps"}
        assert each["collection"] == notes and each["expected"] == each["got"] and each["steps"]
    # Without a body all of them run.
    everything = ok(admin.post("/admin/policies/tests/run"))
    assert {notes} <= {each["collection"] for each in everything["results"]}

    ok(admin.put(f"/admin/collections/{notes}/policy", {"read": {}}), 204)
    report = run(admin, notes)
    assert (report["passed"], report["failed"]) == (2, 1)
    (failed,) = [each for each in report["results"] if not each["passed"]]
    assert (failed["name"], failed["expected"], failed["got"]) == ("strangers see nothing", "hidden", "allowed")

    ok(put(admin, notes), 204)
    assert stored(admin, notes) == [] and run(admin, notes)["results"] == []
    actions = [entry["action"] for entry in ok(admin.get("/admin/audit"))["entries"]]
    assert actions.count("policyTests.set") == 2


def test_see_given_documents_alone(project, admin, notes):
    memberships = project.collection(policy=None, indexes=[{"keys": {"userId": 1}}])
    name = unique("s").replace("x", "X")
    definition = {"collection": memberships, "where": {"userId": "$auth.uid"}, "value": "teamId"}
    ok(admin.put(f"/admin/policies/sets/{name}", definition), 204)
    team = {"filter": {"teamId": {"$in": f"$auth.sets.{name}"}}}
    ok(admin.put(f"/admin/collections/{notes}/policy", {"read": team, "list": team}), 204)
    ok(admin.post(f"/admin/collections/{memberships}/documents", {"userId": "ada", "teamId": "t"}), 201)
    ok(admin.post(f"/admin/collections/{notes}/documents", {"id": "n", "teamId": "t"}), 201)
    given = {notes: [{"id": "n", "teamId": "t"}], memberships: [{"userId": "ada", "teamId": "t"}]}
    as_ada = {"caller": {"role": "user", "uid": "ada"}, "id": "n"}
    tests = [
        {"name": "given", **as_ada, "operation": "read", "given": given, "expect": "allowed"},
        {"name": "listed", **as_ada, "operation": "list", "given": given, "expect": "allowed"},
        {"name": "no document", **as_ada, "operation": "read", "expect": "hidden"},
        {"name": "no team", **as_ada, "operation": "read", "given": {notes: given[notes]}, "expect": "hidden"},
    ]
    ok(put(admin, notes, *tests), 204)
    report = run(admin, notes)
    assert report["failed"] == 0, report
    assert ok(admin.get(f"/admin/collections/{notes}/documents"))["total"] == 1


def test_follow_a_rename_and_go_with_the_collection(project, admin, notes):
    ok(put(admin, notes, SEEN), 204)
    renamed = unique("c")
    ok(admin.post(f"/admin/collections/{notes}/rename", {"to": renamed}), 204)
    assert stored(admin, renamed) == [SEEN] and run(admin, renamed)["passed"] == 1
    # Other changes of the collection keep them.
    ok(admin.put(f"/admin/collections/{renamed}/schema", {"type": "object"}), 204)
    ok(admin.post(f"/admin/collections/{renamed}/indexes", {"keys": {"ownerId": 1}}), 201)
    assert stored(admin, renamed) == [SEEN]
    ok(admin.delete(f"/admin/collections/{renamed}"), 204)
    refused(admin.get(f"/admin/collections/{renamed}/policy-tests"), 404, "NOT_FOUND")
    project.collection(renamed)
    assert stored(admin, renamed) == []


def test_what_cannot_be_evaluated_has_failed(project, admin, notes):
    role = project.enduser_role("data:*:read")
    ok(put(admin, notes, {**SEEN, "caller": {"role": role, "uid": "ada"}}, {**HIDDEN, "given": {"gone": []}}), 204)
    ok(admin.delete(f"/admin/enduser-roles/{role}"), 204)
    report = run(admin, notes)
    assert (report["passed"], report["failed"]) == (0, 2)
    for each, problem in zip(report["results"], [role, "gone"]):
        assert each["got"] == "error"
        (step,) = each["steps"]
        assert step["step"] == "error" and step["passed"] is False and problem in step["message"]


def test_types_of_values_are_kept(admin, notes):
    dated = {**SEEN, "document": {"id": "n", "ownerId": "ada", "at": {"$date": "2026-01-31T09:30:00.000Z"}}}
    ok(put(admin, notes, dated), 204)
    first = stored(admin, notes)
    assert list(first[0]["document"]["at"]) == ["$date"]
    ok(put(admin, notes, *first), 204)
    assert stored(admin, notes) == first


def test_need_their_permissions(project, admin, notes):
    reader = project.member(project.role("policies:read"))
    ok(put(admin, notes, SEEN), 204)
    assert stored(reader, notes) == [SEEN] and run(reader, notes)["passed"] == 1
    refused(put(reader, notes), 403, "FORBIDDEN")
    other = project.member(project.role("collections:manage", "config:manage"))
    refused(other.get(f"/admin/collections/{notes}/policy-tests"), 403, "FORBIDDEN")
    refused(other.post("/admin/policies/tests/run"), 403, "FORBIDDEN")
    refused(reader.post("/admin/policies/tests/run", {"document": {"formatVersion": 1}}), 403, "FORBIDDEN")
    assert stored(admin, notes) == [SEEN]


BAD = [
    ({"name": ""}, "/tests/0/name"),
    ({"name": "x" * 101}, "/tests/0/name"),
    ({"caller": {"user": "user_00000000000000000000"}}, "/tests/0/caller/user"),
    ({"caller": {"key": "key_1"}}, "/tests/0/caller/key"),
    ({"caller": {"member": "user_1"}}, "/tests/0/caller/member"),
    ({"caller": {}}, "/tests/0/caller"),
    ({"caller": {"role": "user", "claims": {"sub": "x"}}}, "/tests/0/caller/claims/sub"),
    ({"operation": "admin"}, "/tests/0/operation"),
    ({"operation": "create"}, "/tests/0/body"),
    ({"operation": "delete", "filter": {}}, "/tests/0/filter"),
    ({"id": "n"}, "/tests/0/id"),
    ({"document": None}, "/tests/0/id"),
    ({"replace": True}, "/tests/0/replace"),
    ({"given": {"a b": []}}, "/tests/0/given/a b"),
    ({"given": {"notes": {}}}, "/tests/0/given/notes"),
    ({"given": {"notes": [1]}}, "/tests/0/given/notes/0"),
    ({"expect": "200"}, "/tests/0/expect"),
    ({"policy": {}}, "/tests/0/policy"),
]


@pytest.mark.parametrize("change, path", BAD, ids=[path + str(at) for at, (_, path) in enumerate(BAD)])
def test_bad_input_names_its_place_and_changes_nothing(admin, notes, change, path):
    ok(put(admin, notes, DENIED), 204)
    test = {key: value for key, value in {**SEEN, **change}.items() if value is not None}
    refused(put(admin, notes, test), 400, "VALIDATION", path)
    assert stored(admin, notes) == [DENIED]


def test_bounds(admin, notes):
    many = [{**SEEN, "name": f"test {at}"} for at in range(100)]
    ok(put(admin, notes, *many), 204)
    refused(put(admin, notes, *many, DENIED), 400, "VALIDATION", "/tests")
    refused(put(admin, notes, SEEN, SEEN), 400, "VALIDATION", "/tests/1/name")
    large = [{**SEEN, "document": {"id": "n", "text": "x" * (256 << 10)}}]
    refused(put(admin, notes, *large), 400, "VALIDATION", "/tests")
    refused(admin.put(f"/admin/collections/{notes}/policy-tests", {}), 400, "VALIDATION", "/tests")
    refused(admin.put(f"/admin/collections/{notes}/policy-tests", {"tests": {}}), 400, "VALIDATION", "/tests")
    refused(put(admin, "missing", SEEN), 404, "NOT_FOUND")
    refused(put(admin, "*", SEEN), 404, "NOT_FOUND")
    refused(admin.post("/admin/policies/tests/run", {"collections": ["missing"]}), 400, "VALIDATION", "/collections/0")
    refused(admin.post("/admin/policies/tests/run", {"tests": []}), 400, "VALIDATION", "/tests")
    assert len(stored(admin, notes)) == 100 and run(admin, notes)["passed"] == 100
