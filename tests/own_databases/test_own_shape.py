"""Collections, indexes, policies and environments of projects on a database of their owner."""

import pytest

from support.client import OPEN_POLICY, Project, ok, refused, unique
from support.own_database import connected, create


@pytest.fixture
def another(mongo) -> str:
    """The address of one more database."""
    return f"mongodb://127.0.0.1:{mongo.port}/{unique('d')}?replicaSet=secantus"


def imported(project, source: str, **body) -> None:
    name = ok(project.admin.post(f"/admin/introspect/{source}/import", {"schema": False, **body}), 201)["collection"]
    ok(project.admin.put(f"/admin/collections/{name}/policy", OPEN_POLICY), 204)


def codes(project: dict) -> list[str]:
    return [warning["code"] for warning in project.get("warnings", [])]


# ---- indexes


def test_the_indexes_of_the_database_are_listed_too(project, there):
    there.orders.insert_one({"n": 1})
    there.orders.create_index([("total", -1)], name="theirs", sparse=True)
    there.orders.create_index("at", name="expiring", expireAfterSeconds=60)
    imported(project, "orders", name="sales")
    ok(project.admin.post("/admin/collections/sales/indexes", {"keys": {"n": 1}, "unique": True}), 201)
    listed = ok(project.admin.get("/admin/collections/sales/indexes"))["indexes"]
    assert listed == [
        {"name": "_id_", "keys": {"_id": 1}, "unique": True, "managed": False},
        {"name": "expiring", "keys": {"at": 1}, "unique": False, "expireAfterSeconds": 60, "managed": False},
        {"name": "n_1", "keys": {"n": 1}, "unique": True, "managed": True},
        {"name": "theirs", "keys": {"total": -1}, "unique": False, "sparse": True, "managed": False},
    ]
    error = refused(project.admin.delete("/admin/collections/sales/indexes/theirs"), 409, "CONFLICT")
    assert "not made here" in error["message"]
    refused(project.admin.delete("/admin/collections/sales/indexes/none"), 404, "NOT_FOUND")
    refused(project.admin.delete("/admin/collections/none/indexes/theirs"), 404, "NOT_FOUND")
    assert "theirs" in there.orders.index_information()
    ok(project.admin.delete("/admin/collections/sales/indexes/n_1"), 204)
    assert set(there.orders.index_information()) == {"_id_", "theirs", "expiring"}


def test_a_unique_index_of_the_database_is_named(project, there):
    there.orders.create_index("slug", name="their_slugs", unique=True)
    imported(project, "orders")
    ok(project.admin.post("/orders", {"slug": "a"}), 201)
    error = refused(project.admin.post("/orders", {"slug": "a"}), 409, "CONFLICT")
    assert "their_slugs" in error["message"]


def test_indexes_of_other_projects_are_listed_as_before(owner):
    project = owner.create_project()
    posts = project.collection(indexes=({"keys": {"n": 1}},))
    listed = ok(project.admin.get(f"/admin/collections/{posts}/indexes"))["indexes"]
    assert listed == [{"name": "n_1", "keys": {"n": 1}, "unique": False}]
    refused(project.admin.delete(f"/admin/collections/{posts}/indexes/_id_"), 404, "NOT_FOUND")


# ---- deleting and renaming


def test_a_deleted_collection_stays_there_unless_its_data_is_dropped(project, there):
    posts = project.collection("posts")
    ok(project.admin.post(f"/{posts}", {"n": 1}), 201)
    ok(project.admin.delete(f"/admin/collections/{posts}"), 204)
    assert there.posts.count_documents({}) == 1
    imported(project, "posts", name="again")
    path = "/admin/collections/again"
    refused(project.admin.delete(path, params={"data": "keep"}), 400, "INVALID_PARAM")
    refused(project.member("Admin").delete(path, params={"data": "drop"}), 403, "FORBIDDEN")
    refused(project.api_key("admin").delete(path, params={"data": "drop"}), 403)
    assert there.posts.count_documents({}) == 1
    ok(project.admin.delete(path, params={"data": "drop"}), 204)
    assert "posts" not in there.list_collection_names()
    refused(project.admin.get("/again"), 404, "NOT_FOUND")
    entry = next(each for each in ok(project.admin.get("/admin/audit"))["entries"] if each["action"] == "collection.delete")
    assert entry["details"] == {"data": "drop"}
    refused(project.admin.delete(path, params={"data": "drop"}), 404, "NOT_FOUND")


def test_what_refuses_a_deletion_keeps_the_data(project, there):
    members = project.collection("members", indexes=({"keys": {"userId": 1}},))
    ok(project.admin.post(f"/{members}", {"userId": "u", "teamId": "t"}), 201)
    teams = {"collection": members, "where": {"userId": "$auth.uid"}, "value": "teamId"}
    ok(project.admin.put("/admin/policies/sets/teams", teams), 204)
    refused(project.admin.delete(f"/admin/collections/{members}", params={"data": "drop"}), 409, "CONFLICT")
    assert there.members.count_documents({}) == 1


def test_data_is_dropped_in_such_projects_alone(owner):
    project = owner.create_project()
    posts = project.collection()
    refused(project.admin.delete(f"/admin/collections/{posts}", params={"data": "drop"}), 400, "INVALID_PARAM")
    ok(project.admin.get(f"/{posts}"))


def test_a_rename_keeps_the_name_there(project, there, owner, database):
    there.orders.insert_one({"n": 1})
    imported(project, "orders")
    posts = project.collection("posts")
    for name, to in (("orders", "sales"), (posts, "articles")):
        ok(project.admin.post(f"/admin/collections/{name}/rename", {"to": to}), 204)
    assert [each["n"] for each in project.admin.list("sales")] == [1]
    ok(project.admin.post("/articles", {"n": 2}), 201)
    assert there.posts.count_documents({}) == 1
    assert set(there.list_collection_names()) == {"orders", "posts"}
    listed = {each["name"]: each["imported"] for each in ok(project.admin.get("/admin/introspect"))["collections"]}
    assert listed == {"orders": "sales", "posts": "articles"}
    # What is missing at another address is decided by the names there.
    ok(owner.patch(f"/control/projects/{project.id}", {"mongoUrl": database}), 204)


# ---- another address


def test_collections_that_are_missing_there_are_named(project, owner, another):
    project.collection("posts")
    project.collection("articles")
    path = f"/control/projects/{project.id}"
    error = refused(owner.patch(path, {"mongoUrl": another}), 409, "CONFLICT")
    assert error["message"] == "these collections are missing there: articles, posts"
    ok(owner.patch(path, {"mongoUrl": another}, params={"force": "1"}), 204)
    refused(project.admin.post("/posts", {"n": 1}), 404, "NOT_FOUND")
    with connected(another) as client:
        client.get_default_database().create_collection("posts")
        found = ok(owner.post(f"{path}/database/check"))
        assert codes(found).count("collection-missing") == 1
        ok(project.admin.post("/posts", {"n": 1}), 201)
        assert client.get_default_database().posts.count_documents({}) == 1
    refused(project.admin.post("/articles", {"n": 1}), 404, "NOT_FOUND")


# ---- warnings


def test_collections_are_warned_of(project, there, owner):
    there.create_collection("folded", collation={"locale": "en", "strength": 2})
    there.folded.insert_one({"_id": "A", "text": "a"})
    there.create_collection("unused", collation={"locale": "en", "strength": 2})
    imported(project, "folded", name="texts")
    found = ok(owner.post(f"/control/projects/{project.id}/database/check"))
    assert codes(found) == ["default-collation", "index-on-id-missing", "plain-connection"]
    for warning in found["warnings"][:2]:
        assert '"texts"' in warning["message"] and "folded" not in warning["message"]
    # Text is compared as everywhere.
    assert project.admin.list("texts", filter={"text": "A"}) == []
    assert len(project.admin.list("texts", filter={"text": "a"})) == 1
    refused(project.admin.get("/texts/a"), 404, "NOT_FOUND")
    ok(project.admin.patch("/texts/A", {"$set": {"text": "b"}}), 204)
    assert there.folded.find_one() == there.folded.find_one({"_id": "A", "text": "b"})
    ok(project.admin.post("/admin/introspect/folded/backfill"))
    assert "index-on-id-missing" not in codes(ok(owner.post(f"/control/projects/{project.id}/database/check")))


# ---- policies


def test_rules_do_not_filter_by_the_key_there(project):
    posts = project.collection("posts")
    for rules in (
        {"read": {"filter": {"_id": "x"}}},
        {"list": {"filter": {"$or": [{"n": 1}, {"$and": [{"_id.a": 1}]}]}}},
        {"public": {"read": {"filter": {"_id": "x"}}}},
    ):
        error = refused(project.admin.put(f"/admin/collections/{posts}/policy", rules), 400, "VALIDATION")
        assert '"_id"' in error["message"] and error["details"][0]["path"].endswith("/filter")
    refused(project.admin.put("/admin/collections/*/policy", {"read": {"filter": {"_id": "x"}}}), 400, "VALIDATION")
    ok(project.admin.put(f"/admin/collections/{posts}/policy", {"read": {"filter": {"id": "x"}}}), 204)


def test_names_that_the_language_has_no_form_for_cannot_be_used(project, there):
    there.odd.insert_one({"a.b": 1, "$c": 2, "n": 3})
    imported(project, "odd")
    shown = project.admin.list("odd")[0]
    assert shown["a.b"] == 1 and shown["$c"] == 2
    refused(project.admin.get("/odd", params={"filter": '{"$c":2}'}), 400, "INVALID_FILTER")
    assert project.admin.list("odd", filter={"a.b": 1}) == []
    for body in ({"$set": {"$c": 3}}, {"$set": {"x": {"$c": 3}}}):
        refused(project.admin.patch(f"/odd/{shown['id']}", body), 400)
    ok(project.admin.patch(f"/odd/{shown['id']}", {"$set": {"n": 4}}), 204)
    stored = there.odd.find_one()
    assert (stored["a.b"], stored["$c"], stored["n"]) == (1, 2, 4)


def test_literal_dotted_keys_are_kept_next_to_paths_of_the_same_text(project, there):
    there.odd.insert_many([{"a.b": 1, "a": {"b": 2}, "n": 1}, {"a.b": 9, "n": 2}])
    imported(project, "odd")
    both, alone = project.admin.list("odd")
    assert (both["a.b"], both["a"]) == (1, {"b": 2}) and alone["a.b"] == 9
    # Filters, sorts and updates mean the path.
    assert [each["n"] for each in project.admin.list("odd", filter={"a.b": 2})] == [1]
    assert project.admin.list("odd", filter={"a.b": {"$in": [1, 9]}}) == []
    assert [each["n"] for each in project.admin.list("odd", sort="-a.b")] == [1, 2]
    for change in ({"$set": {"a.b": 3}}, {"$inc": {"a.b": 1}}):
        ok(project.admin.patch(f"/odd/{both['id']}", change), 204)
    ok(project.admin.patch(f"/odd/{alone['id']}", {"$set": {"a.b": 5}}), 204)
    stored = {each["n"]: each for each in there.odd.find()}
    assert (stored[1]["a.b"], stored[1]["a"]) == (1, {"b": 4})
    assert (stored[2]["a.b"], stored[2]["a"]) == (9, {"b": 5})
    ok(project.admin.patch(f"/odd/{both['id']}", {"$unset": {"a.b": ""}}), 204)
    assert (there.odd.find_one({"n": 1})["a.b"], there.odd.find_one({"n": 1})["a"]) == (1, {})


# ---- configuration and environments


def exported(project) -> dict:
    return ok(project.admin.get("/admin/config-export"))


def test_an_export_holds_the_shape_alone(project, there, owner):
    there.orders.create_index("total", name="theirs")
    imported(project, "orders", name="sales")
    ok(project.admin.post("/admin/collections/sales/indexes", {"keys": {"n": 1}}), 201)
    response = project.admin.get("/admin/config-export")
    for secret in ("mongo", "byo", "orders", "theirs", "source", "managed"):
        assert secret not in response.text, secret
    plain = owner.create_project()
    ok(plain.admin.post("/admin/config-import", ok(response)))
    assert ok(plain.admin.get("/admin/collections/sales/indexes"))["indexes"] == [
        {"name": "n_1", "keys": {"n": 1}, "unique": False}
    ]


def test_an_import_makes_collections_there(project, there, owner):
    plain = owner.create_project()
    posts = plain.collection("posts", indexes=({"keys": {"slug": 1}, "unique": True},))
    ok(project.admin.post("/admin/config-import", exported(plain)))
    assert set(there.posts.index_information()) == {"_id_", "mb_id", "mb_slug_1"}
    ok(project.admin.post(f"/{posts}", {"slug": "a"}), 201)
    assert there.posts.count_documents({}) == 1


BROKEN = (
    ({"keys": {"slug": 1}, "unique": True}, "have the same value"),
    ({"keys": {"place.city": 1, "place.no": 1}, "unique": True}, "have the same value"),
    ({"keys": {"total": 1}}, '"theirs" of the database has the same keys'),
    ({"keys": {"tags": 1, "sizes": 1}}, 'a document has arrays at "tags" and "sizes"'),
    ({"keys": {"n": 1}, "partialFilter": {"n": {"$ne": 1}}}, "takes no such filter"),
    ({"keys": {"n": -1}, "name": "other"}, "has another one of the name mb_other"),
)
FINE = (
    {"keys": {"total": 1}, "unique": True, "partialFilter": {"total": {"$gt": 5}}, "name": "large"},
    {"keys": {"missing": 1}, "unique": True, "sparse": True},
    {"keys": {"lines.no": 1}, "unique": True},
    {"keys": {"tags": 1, "total": 1}},
)


def test_a_plan_names_the_indexes_that_the_database_cannot_make(project, there, owner):
    there.orders.insert_many(
        [
            {
                "slug": "a",
                "tags": [1],
                "sizes": [2],
                "total": 1,
                "lines": [{"sku": "x", "no": 1}, {"sku": "x", "no": 2}],
                "place": {"city": "b", "no": 1},
            },
            {
                "slug": "a",
                "tags": [2],
                "total": 1,
                "lines": [{"sku": "y", "no": 3}, {"sku": "x", "no": 4}],
                "place": {"city": "b", "no": 1},
            },
        ]
    )
    there.orders.create_index("total", name="theirs")
    there.orders.create_index("other", name="mb_other")
    imported(project, "orders", schema=False)
    project.collection("posts")
    before = there.orders.index_information()
    document = exported(project)
    at = [each["name"] for each in document["collections"]].index("orders")
    entry = document["collections"][at]
    path = f"/collections/{at}/indexes"

    def refusals(params: dict) -> list[dict]:
        response = project.admin.post("/admin/config-import", document, params=params)
        return refused(response, 400, "VALIDATION")["details"]

    for index, text in BROKEN:
        entry["indexes"] = [index]
        for params in ({"dryRun": "1"}, {}):
            problems = refusals(params)
            assert [each["path"] for each in problems] == [path] and text in problems[0]["message"], (index, problems)
    # All at once, with the other problems of the document, and before anything is applied.
    entry["indexes"] = [index for index, _ in BROKEN]
    document["roles"] = [*document["roles"], {"name": "?", "permissions": []}]
    document["collections"].append({"name": "added"})
    problems = refusals({})
    message = next(each["message"] for each in problems if each["path"] == path)
    assert all(text in message for _, text in BROKEN) and len(problems) > 1
    assert there.orders.index_information() == before and "added" not in there.list_collection_names()
    # Those that can be made.
    document = exported(project)
    document["collections"][at]["indexes"] = list(FINE)
    ok(project.admin.post("/admin/config-import", document))
    assert len(there.orders.index_information()) == len(before) + len(FINE)


def test_a_promotion_names_the_indexes_that_the_database_cannot_make(project, there, owner):
    posts = project.collection("posts")
    for _ in range(2):
        ok(project.admin.post(f"/{posts}", {"slug": "a"}), 201)
    path = f"/control/projects/{project.id}/environments"
    environment = Project(owner, ok(owner.post(path, {"environment": "qa"}), 201)["project"])
    ok(environment.admin.post(f"/admin/collections/{posts}/indexes", {"keys": {"slug": 1}, "unique": True}), 201)
    environment.collection("added")
    up = {"fromProjectId": environment.id, "toProjectId": project.id}
    for params in ({"dryRun": "1"}, {}):
        error = refused(owner.post("/control/environments/promote", up, params=params), 400, "VALIDATION")
        assert [each["path"].split("/")[-1] for each in error["details"]] == ["indexes"]
        assert '"slug_1"' in error["details"][0]["message"]
    assert "added" not in there.list_collection_names()
    there.posts.delete_one({})
    ok(owner.post("/control/environments/promote", up))
    assert "mb_slug_1" in there.posts.index_information()


def test_an_environment_may_bring_a_database(project, there, owner, another, database):
    posts = project.collection("posts", indexes=({"keys": {"slug": 1}, "unique": True},))
    path = f"/control/projects/{project.id}/environments"
    error = refused(owner.post(path, {"environment": "used", "mongoUrl": database}), 409, "CONFLICT")
    assert error["message"] == "this database is used already"
    error = refused(owner.post(path, {"environment": "used", "mongoUrl": "mongodb://127.0.0.1/"}), 400, "VALIDATION", "/mongoUrl")
    assert error["message"] == "names no database"
    created = owner.post(path, {"environment": "staging", "mongoUrl": another})
    environment = Project(owner, ok(created, 201)["project"])
    assert environment.wire["byo"] is True and codes(environment.wire) == ["plain-connection"]
    assert environment.wire["byoCapabilities"]["transactions"] is True
    assert "mongodb" not in created.text
    with connected(another) as client:
        copied = client.get_default_database()
        assert "mb_slug_1" in copied.posts.index_information()
        ok(environment.admin.post(f"/{posts}", {"slug": "a"}), 201)
        assert copied.posts.count_documents({}) == 1 and there.posts.count_documents({}) == 0
    refused(create(owner, another), 409, "CONFLICT")
    actions = {each["action"]: each["details"] for each in ok(environment.admin.get("/admin/audit"))["entries"]}
    assert actions["project.created"]["byo"] is True and "mongo" not in str(actions)


def test_an_environment_on_the_deployments_store_says_so(project, owner):
    created = ok(owner.post(f"/control/projects/{project.id}/environments", {"environment": "qa"}), 201)["project"]
    assert created["byo"] is False and codes(created) == ["database-not-inherited"]
    assert codes(ok(owner.get(f"/control/projects/{created['id']}"))["project"]) == ["database-not-inherited"]
    assert codes(ok(owner.get(f"/control/projects/{project.id}"))["project"]) == ["plain-connection"]


def test_shape_is_promoted_both_ways(project, there, owner):
    path = f"/control/projects/{project.id}/environments"
    environment = Project(owner, ok(owner.post(path, {"environment": "qa"}), 201)["project"])
    environment.collection("posts", indexes=({"keys": {"n": 1}},))
    there.create_collection("taken")
    environment.collection("taken")
    up = {"fromProjectId": environment.id, "toProjectId": project.id}
    refused(owner.post("/control/environments/promote", up), 409, "CONFLICT")
    ok(environment.admin.delete("/admin/collections/taken"), 204)
    ok(owner.post("/control/environments/promote", up))
    assert "mb_n_1" in there.posts.index_information()
    project.collection("notes")
    ok(owner.post("/control/environments/promote", {"fromProjectId": project.id, "toProjectId": environment.id}))
    ok(environment.admin.get("/notes"))
