"""Callers without a token: what public rules open, and that nothing else is."""

import json

import pytest

from support.client import Api, PlatformUser, ok, refused, unique

ANY = {"read": {}, "list": {}, "create": {}, "update": {}, "delete": {}}


@pytest.fixture(scope="module")
def server_settings():
    return {"SERVICE_PUBLIC_RATE_LIMIT": "1000000/60"}


@pytest.fixture(scope="module")
def nobody(project):
    return project.public()


@pytest.fixture(scope="module")
def posts(project, admin):
    published = {"filter": {"published": True}}
    name = project.collection(
        policy={
            "read": {"filter": {"ownerId": "$auth.uid"}, "deniedReadFields": ["draft"]},
            "create": {},
            "public": {
                "read": {**published, "deniedReadFields": ["views"]},
                "list": published,
                "create": {"allowedWriteFields": ["text"], "validate": "auth == null"},
            },
        },
        schema={
            "type": "object",
            "properties": {"title": {"type": "string"}, "author": {"type": "string", "x-ref": people(project)}},
        },
    )
    for id, more in (("p1", {"published": True}), ("p2", {"published": False})):
        body = {"id": id, "title": id, "views": 3, "draft": "secret", "author": "anne", **more}
        ok(admin.post(f"/admin/collections/{name}/documents", body), 201)
    return name


def people(project) -> str:
    name = project.collection(policy={"read": {}, "public": {"read": {"deniedReadFields": ["email"]}}})
    body = {"id": "anne", "name": "Anne", "email": "anne@example.com"}
    ok(project.admin.post(f"/admin/collections/{name}/documents", body), 201)
    return name


def unauthenticated(response) -> dict:
    error = refused(response, 401, "UNAUTHENTICATED")
    return error


def test_reads_without_a_token(nobody, posts, alice):
    document = ok(nobody.get(f"/{posts}/p1"))["document"]
    assert document["title"] == "p1" and "views" not in document and "draft" not in document
    refused(nobody.get(f"/{posts}/p2"), 404, "NOT_FOUND")
    assert [one["id"] for one in nobody.list(posts)] == ["p1"]
    refused(nobody.get(f"/{posts}", params={"filter": json.dumps({"views": 3})}), 403, "FORBIDDEN")
    # Signed in, with an own rule for reading and the public one for lists.
    refused(alice.get(f"/{posts}/p1"), 404)
    assert [one["id"] for one in alice.list(posts)] == ["p1"]
    assert alice.list(posts)[0]["views"] == 3


def test_expands_what_is_public(nobody, posts):
    (document,) = nobody.list(posts, expand="author")
    assert document["author"]["name"] == "Anne" and "email" not in document["author"]


def test_a_policy_of_public_rules_alone(nobody, project, admin, alice):
    name = project.collection(policy={"public": {"read": {"filter": {"open": True}}}})
    for id, shown in (("shown", True), ("hidden", False)):
        ok(admin.post(f"/admin/collections/{name}/documents", {"id": id, "open": shown}), 201)
    callers = (alice, project.api_key("read"), project.member("Viewer"), nobody)
    for caller in callers:
        ok(caller.get(f"/{name}/shown"))
        refused(caller.get(f"/{name}/hidden"), 404, "NOT_FOUND")
    # It is the collection's policy: the project's default is not added to it.
    ok(admin.put("/admin/collections/*/policy", {"list": {}}), 204)
    for caller in callers[:3]:
        refused(caller.get(f"/{name}"), 403, "FORBIDDEN")
    ok(admin.delete("/admin/collections/*/policy"), 204)
    renamed = unique("c")
    ok(admin.post(f"/admin/collections/{name}/rename", {"to": renamed}), 204)
    ok(nobody.get(f"/{renamed}/shown"))
    unauthenticated(nobody.get(f"/{name}/shown"))
    ok(admin.put(f"/admin/collections/{renamed}/policy", {"read": {}}), 204)
    unauthenticated(nobody.get(f"/{renamed}/shown"))


def test_creates_without_a_token(nobody, posts, admin):
    made = nobody.create(posts, {"text": "hello"})
    stored = ok(admin.get(f"/admin/collections/{posts}/documents/{made['id']}"))["document"]
    assert "ownerId" not in stored and stored["text"] == "hello"
    refused(nobody.post(f"/{posts}", {"text": "x", "published": True}), 403, "FORBIDDEN")
    assert "ownerId" not in nobody.create(posts, {"text": "x", "ownerId": "user_x"})


def test_everything_else_needs_a_token(nobody, posts, project, server):
    closed = project.collection(policy=ANY)
    errors = [
        unauthenticated(nobody.patch(f"/{posts}/p1", {"title": "x"})),
        unauthenticated(nobody.put(f"/{posts}/p1", {"title": "x"})),
        unauthenticated(nobody.delete(f"/{posts}/p1")),
        unauthenticated(nobody.get(f"/{closed}")),
        unauthenticated(nobody.get(f"/{closed}/x")),
        unauthenticated(nobody.post(f"/{closed}", {})),
        unauthenticated(nobody.post(f"/{closed}/search", {})),
        unauthenticated(nobody.get("/unknown")),
        unauthenticated(nobody.get("/unknown", params={"limit": "x"})),
        unauthenticated(nobody.get(f"/{posts}", project="proj_unknown")),
        unauthenticated(nobody.get(f"/{posts}", project="not a name")),
        unauthenticated(nobody.get("/auth/sessions")),
        unauthenticated(nobody.get("/admin/collections")),
    ]
    assert len({error["message"] for error in errors[:11]}) == 1, "one error, whatever the reason"


def test_a_bad_token_is_never_anonymous(server, project, posts):
    for token in ("nonsense", "sk_nonsense"):
        unauthenticated(Api(server, token, project.id).get(f"/{posts}"))
    unauthenticated(Api(server, None, project.id).get(f"/{posts}", headers={"authorization": "Basic eDp5"}))


def test_without_a_project_nothing_is_public(server, owner, project, posts):
    owner.create_project()  # two projects: none is the only one
    unauthenticated(Api(server).get(f"/{posts}"))
    assert ok(Api(server).get(f"/{posts}", params={"project": project.slug}))["documents"]


def test_graphql_shows_public_collections_alone(nobody, posts, project, owner):
    closed = project.collection(policy=ANY)
    names = ok(nobody.post("/graphql", {"query": "{ __schema { queryType { fields { name } } } }"}))
    fields = [field["name"] for field in names["data"]["__schema"]["queryType"]["fields"]]
    assert posts in fields and closed not in fields and f"{closed}ById" not in fields
    answer = ok(nobody.post("/graphql", {"query": f"{{ {posts} {{ id title }} }}"}))
    assert answer["data"][posts] == [{"id": "p1", "title": "p1"}]
    unauthenticated(owner.create_project().public().post("/graphql", {"query": "{ __typename }"}))


@pytest.mark.parametrize(
    "public, path",
    [
        ({"update": {}}, "/public/update"),
        ({"read": {"filter": {"ownerId": "$auth.uid"}}}, "/public/read/filter/ownerId"),
        ({"create": {"validate": "'t' in auth.sets.teams"}}, "/public/create/validate"),
        ([], "/public"),
    ],
)
def test_rules_that_are_refused(project, admin, public, path):
    name = project.collection(policy=None)
    refused(admin.put(f"/admin/collections/{name}/policy", {"public": public}), 400, "VALIDATION", path)
    assert ok(admin.get(f"/admin/collections/{name}/policy"))["source"] == "default"


def test_the_default_policy_is_never_public(admin):
    refused(admin.put("/admin/collections/*/policy", {"public": {"read": {}}}), 400, "VALIDATION", "/public")


def test_a_suspended_project_serves_nobody(make_server):
    server = make_server().start()
    owner = PlatformUser(server)
    project = owner.create_project()
    name = project.collection(policy={"public": {"list": {}}})
    ok(project.public().get(f"/{name}"))
    ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
    refused(project.public().get(f"/{name}"), 403, "PROJECT_SUSPENDED")


def test_requests_other_than_reads_are_limited(make_server):
    server = make_server({"SERVICE_PUBLIC_RATE_LIMIT": "3/60"}).start()
    project = PlatformUser(server).create_project()
    name = project.collection(policy={"public": {"list": {}, "create": {}}})
    closed = project.collection(policy=ANY)
    nobody = project.public()
    address = "203.0.113.9"
    unauthenticated(nobody.post(f"/{closed}", {}, address=address))
    for left in (2, 1, 0):
        response = nobody.post(f"/{name}", {}, address=address)
        ok(response, 201)
        assert f"r={left};" in response.headers["ratelimit"] and "q=3;w=60" in response.headers["ratelimit-policy"]
    refused(nobody.post(f"/{name}", {}, address=address), 429, "RATE_LIMITED")
    refused(nobody.post("/graphql", {"query": "{ __typename }"}, address=address), 429, "RATE_LIMITED")
    for _ in range(5):
        ok(nobody.get(f"/{name}", address=address))
    ok(nobody.post(f"/{name}", {}, address="203.0.113.10"), 201)
    ok(project.end_user().get(f"/{name}", address=address))


def test_the_configuration_carries_public_rules(owner, posts, admin):
    exported = ok(admin.get("/admin/config-export"))
    copy = owner.create_project()
    assert ok(copy.admin.post("/admin/config-import", exported))["problems"] == []
    again = ok(copy.admin.get("/admin/config-export"))
    assert again["collections"] == exported["collections"]
    assert ok(copy.public().get(f"/{posts}"))["documents"] == []
