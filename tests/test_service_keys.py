"""API keys of scope `service`: data, files and functions past policies, and nothing of the admin API."""

import pytest

from support.client import OPEN_POLICY, Api, PlatformUser, ok, refused, unique
from support.function import database_function, http_function
from support.realtime import Live, is_error
from support.routes import ADMIN, DATA, harmless, path_of
from support.vectors import Space

OWN = {"filter": {"ownerId": "$auth.uid"}}
STRICT = {
    "read": {**OWN, "deniedReadFields": ["secret"]},
    "list": OWN,
    "create": {"validate": "false"},
    "update": {**OWN, "immutableFields": ["title"], "allowedWriteFields": ["note"]},
    "delete": OWN,
}


@pytest.fixture(scope="module")
def service(project):
    return project.api_key("service")


@pytest.fixture
def notes(project, admin):
    """A collection of which nobody but an owner reads anything, with a document of somebody else."""
    name = project.collection(policy=STRICT)
    document = {"id": "theirs", "title": "t", "secret": "s3cret", "ownerId": "user_other"}
    ok(admin.post(f"/admin/collections/{name}/documents", document), 201)
    return name


# ---- what it is


def test_the_scope_stands_alone(admin):
    for scopes in (["service", "read"], ["admin", "service"], ["service", "service"]):
        error = refused(admin.post("/admin/api-keys", {"name": "k", "scopes": scopes}), 400, "VALIDATION")
        assert error["details"][0]["path"].startswith("/scopes")
    made = ok(admin.post("/admin/api-keys", {"name": unique("k"), "scopes": ["service"]}), 201)
    assert made["apiKey"]["scopes"] == ["service"]


def test_who_may_grant_it(server, project):
    held = ["data:*", "storage:*", "functions:invoke"]
    for left_out in held:
        less = project.member(project.role("keys:manage", *[each for each in held if each != left_out]))
        refused(less.post("/admin/api-keys", {"name": "k", "scopes": ["service"]}), 403, "FORBIDDEN")
    enough = project.member(project.role("keys:manage", *held), PlatformUser(server))
    made = ok(enough.post("/admin/api-keys", {"name": unique("k"), "scopes": ["service"]}), 201)
    weak = project.member(project.role("keys:manage", "data:*:read"))
    refused(weak.post(f"/admin/api-keys/{made['apiKey']['id']}/rotate"), 403, "FORBIDDEN")
    ok(enough.post(f"/admin/api-keys/{made['apiKey']['id']}/rotate"))


# ---- data


def test_documents_past_policies(project, admin, service, notes):
    assert ok(service.get(f"/{notes}/theirs"))["document"]["secret"] == "s3cret"
    assert [each["id"] for each in service.list(notes)] == ["theirs"]
    assert [each["id"] for each in service.list(notes, {"secret": "s3cret"})] == ["theirs"]
    ok(service.patch(f"/{notes}/theirs", {"title": "u", "secret": "x", "ownerId": "user_new"}), 204)
    stored = ok(admin.get(f"/admin/collections/{notes}/documents/theirs"))["document"]
    assert (stored["title"], stored["secret"], stored["ownerId"]) == ("u", "x", "user_new")
    ok(service.put(f"/{notes}/theirs", {"title": "v"}), 204)
    assert ok(service.get(f"/{notes}/theirs"))["document"]["ownerId"] == "user_new"
    made = service.create(notes, {"title": "own"})
    assert made["ownerId"] == service.id
    given = service.create(notes, {"title": "given", "ownerId": "user_x"})
    assert given["ownerId"] == "user_x"
    ok(service.delete(f"/{notes}/theirs"), 204)
    refused(service.get(f"/{notes}/theirs"), 404, "NOT_FOUND")
    bare = project.collection(policy=None)
    assert service.create(bare, {"id": "a"})["id"] == "a"
    assert [each["id"] for each in service.list(bare)] == ["a"]
    # The same calls of other keys.
    for other in (project.api_key("read", "write"), project.api_key("admin")):
        refused(other.get(f"/{bare}"), 403, "FORBIDDEN")
        refused(other.get(f"/{notes}/{made['id']}"), 404, "NOT_FOUND")


def test_expand_past_policies(project, admin, service, notes):
    schema = {"type": "object", "properties": {"about": {"type": "string", "x-ref": notes}}}
    comments = project.collection(policy=None, schema=schema)
    service.create(comments, {"id": "c", "about": "theirs"})
    assert service.list(comments, expand="about")[0]["about"]["secret"] == "s3cret"


def test_schemas_indexes_and_hooks_hold(project, admin, service):
    schema = {"type": "object", "properties": {"slug": {"type": "string"}, "n": {"type": "integer"}}}
    name = project.collection(policy=None, schema=schema, indexes=[{"keys": {"slug": 1}, "unique": True}])
    service.create(name, {"slug": "a"})
    refused(service.post(f"/{name}", {"slug": "a"}), 409, "CONFLICT")
    refused(service.post(f"/{name}", {"slug": "b", "n": "x"}), 400, "VALIDATION", "/n")
    refused(service.post("/nosuchcollection", {}), 404, "NOT_FOUND")
    refused(service.get("/users"), 404, "NOT_FOUND")
    code = "export default async (event) => event.document.slug === 'bad' ? {abort: true, reason: 'no'} : undefined;"
    database_function(project, name, code, events=("insert",), timing="pre")
    refused(service.post(f"/{name}", {"slug": "bad"}), 400, "VALIDATION")
    service.create(name, {"slug": "good"})


def graphql(api, query):
    return ok(api.post("/graphql", {"query": query}))


def test_graphql_past_policies(project, admin, service):
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "secret": {"type": "string"}}}
    name = project.collection(unique("Things"), policy=STRICT, schema=schema)
    create = f'create{name}(input: {{id: "a", title: "t", secret: "s", ownerId: "u"}})'
    created = graphql(service, f"mutation{{{create}{{ownerId secret}}}}")
    assert created == {"data": {f"create{name}": {"ownerId": "u", "secret": "s"}}}
    assert graphql(service, f"{{{name}{{title secret}}}}") == {"data": {name: [{"title": "t", "secret": "s"}]}}
    changed = graphql(service, f'mutation{{update{name}(id: "a", patch: {{title: "u"}}){{title}}}}')
    assert changed == {"data": {f"update{name}": {"title": "u"}}}
    reader = project.api_key("read")
    assert graphql(reader, f"{{{name}{{title}}}}") == {"data": {name: []}}
    # A collection without a policy is in its schema.
    bare = project.collection(policy=None)
    fields = "{__schema{queryType{fields{name}}}}"
    assert bare in str(graphql(service, fields)) and bare not in str(graphql(reader, fields))


def test_search_past_policies(project, service):
    space = Space(project, policy={"read": {"filter": {"ownerId": "$auth.uid"}, "deniedReadFields": ["embedding"]}})
    space.put("a", [1, 0, 0, 0], ownerId="user_other")
    (hit,) = space.hits([1, 0, 0, 0], caller=service)
    assert hit["id"] == "a" and hit["embedding"] == [1, 0, 0, 0]
    refused(space.search(project.api_key("read"), vector=[1, 0, 0, 0]), 403, "FORBIDDEN")
    bare = Space(project, policy={})
    bare.put("a", [1, 0, 0, 0])
    assert [hit["id"] for hit in bare.hits([1, 0, 0, 0], caller=service)] == ["a"]


def test_realtime_past_policies(server, project, admin, service, notes):
    bare = project.collection(policy=None)
    alice = project.end_user()
    path = f"/admin/collections/{notes}/documents"
    with Live(server, service.token) as live, Live(server, alice.token) as hers:
        live.follow(notes)
        live.follow(bare, id="bare")
        # The same id of a subscription as another socket's, whose fields are denied.
        hers.follow(notes)
        is_error(hers.ask({"type": "subscribe", "id": "b", "collection": bare}), "FORBIDDEN", "b")
        ok(admin.post(path, {"id": "one", "secret": "s3cret"}), 201)
        assert live.event()["document"]["secret"] == "s3cret"
        ok(admin.post(path, {"id": "two", "secret": "s3cret", "ownerId": alice.id}), 201)
        assert live.event()["document"]["secret"] == "s3cret"
        hidden = hers.event()
        assert hidden["documentId"] == "two" and "secret" not in hidden["document"]
        ok(admin.delete(f"{path}/one"), 204)
        assert live.event()["type"] == "delete"
        ok(admin.post(f"/admin/collections/{bare}/documents", {"id": "x"}), 201)
        assert live.event("bare")["documentId"] == "x"
        is_error(live.ask({"type": "subscribe", "id": "n", "collection": "nosuch"}), "FORBIDDEN", "n")


def test_realtime_resumes_past_policies(server, project, admin, service, notes):
    path = f"/admin/collections/{notes}/documents"
    with Live(server, service.token) as live:
        live.follow(notes)
        ok(admin.post(path, {"id": "one", "secret": "s3cret"}), 201)
        position = live.event()["position"]
    ok(admin.post(path, {"id": "two", "secret": "s3cret"}), 201)
    with Live(server, service.token) as live:
        live.follow(notes, after=position)
        missed = live.event()
        assert missed["documentId"] == "two" and missed["document"]["secret"] == "s3cret"


# ---- files and functions


def test_files(project, service):
    bucket = unique("files")
    ok(project.admin.post("/admin/storage/buckets", {"name": bucket}), 201)
    alice = project.end_user()
    ok(alice.put(f"/storage/{bucket}/hers", content=b"hers"), 201)
    assert service.get(f"/storage/{bucket}/hers").content == b"hers"
    assert [each["path"] for each in ok(service.get(f"/storage/{bucket}"))["files"]] == ["hers"]
    ok(service.put(f"/storage/{bucket}/hers", content=b"its"), 201)
    ok(service.get(f"/storage/{bucket}/hers", params={"sign": 60}))
    ok(service.delete(f"/storage/{bucket}/hers"), 204)


def test_functions(project, service):
    http_function(project, "export default async (event, ctx) => ({body: ctx.auth});", path="/who")
    assert ok(service.get(f"/run/{project.id}/who"))["uid"] == service.id


# ---- nothing else


@pytest.mark.parametrize("route", ADMIN, ids=str)
def test_every_route_of_the_admin_api_refuses_it(project, service, route):
    name = "Things"
    response = service.call(route.method, path_of(route, name), **harmless(route))
    refused(response, 403, "FORBIDDEN")


def test_every_data_route_takes_it(project, service):
    name = project.collection(policy=None)
    for route in DATA:
        response = service.call(route.method, path_of(route, name), **harmless(route))
        assert response.status_code not in (401, 403), f"{route}: {response.text}"


def test_other_planes_refuse_it(server, project, service):
    function = http_function(project, "export default async () => 1;", path="/one")
    refused(service.post(f"/admin/functions/{function.name}/invoke", {}), 403, "FORBIDDEN")
    refused(service.get(f"/projects/{project.id}/openapi.json"), 403, "FORBIDDEN")
    general = ok(Api(server).get("/openapi.json"))
    assert ok(service.get("/openapi.json")) == general, "only admins get the project's collections"
    refused(service.get("/control/projects"), 401, "UNAUTHENTICATED")
    refused(service.get("/auth/sessions"), 403, "FORBIDDEN")


def test_a_revoked_key_is_nobody(project):
    key = project.api_key("service")
    name = project.collection(policy=OPEN_POLICY)
    ok(key.get(f"/{name}"))
    ok(project.admin.delete(f"/admin/api-keys/{key.id}"), 204)
    refused(key.get(f"/{name}"), 401, "UNAUTHENTICATED")
