"""POST /graphql: reading, writing, and refused requests."""

import json

import pytest

from support.client import OPEN_POLICY, ok, refused, unique

AUTHOR = {"type": "object", "properties": {"name": {"type": "string"}}}
POST = {
    "type": "object",
    "required": ["title"],
    "properties": {
        "title": {"type": "string"},
        "views": {"type": "integer"},
        "author": {"type": "string", "x-ref": "authors"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": {"type": "object", "properties": {"city": {"type": "string"}}},
        "at": {"type": "string", "x-bson": "date"},
    },
}


@pytest.fixture(scope="module")
def blog(project):
    project.collection("authors", schema=AUTHOR)
    project.collection("posts", schema=POST)
    project.collection("loose-ends")
    return project


@pytest.fixture(scope="module")
def key(blog):
    return blog.api_key("read", "write")


def test_documents_as_rest_has_them(key, data):
    ann = key.create("authors", {"name": "Ann"})
    made = data(
        key,
        "mutation($p: PostsInput!){createPosts(input: $p){id title createdAt author{id name} authorId place{city} at}}",
        {"p": {"title": "One", "author": ann["id"], "place": {"city": "Rome"}, "at": "2026-01-31T10:30:00+01:00"}},
    )["createPosts"]
    rest = ok(key.get(f"/posts/{made['id']}"))["document"]
    assert made == {
        "id": rest["id"],
        "title": "One",
        "createdAt": rest["createdAt"],
        "author": {"id": ann["id"], "name": "Ann"},
        "authorId": ann["id"],
        "place": {"city": "Rome"},
        "at": "2026-01-31T09:30:00.000Z",
    }
    changed = data(key, f'mutation{{updatePosts(id: "{made["id"]}", patch: {{views: 5}}){{title views}}}}')
    assert changed == {"updatePosts": {"title": "One", "views": 5}}
    replaced = data(
        key, f'mutation{{replacePosts(id: "{made["id"]}", input: {{title: "Two"}}){{title views authorId}}}}'
    )
    assert replaced == {"replacePosts": {"title": "Two", "views": None, "authorId": None}}
    assert data(key, f'{{postsById(id: "{made["id"]}"){{title}}}}') == {"postsById": {"title": "Two"}}
    assert data(key, f'mutation{{deletePosts(id: "{made["id"]}")}}') == {"deletePosts": True}
    refused(key.get(f"/posts/{made['id']}"), 404)
    assert data(key, f'{{postsById(id: "{made["id"]}"){{title}}}}') == {"postsById": None}


def test_lists(project, key, data):
    project.collection("numbers", schema={"type": "object", "properties": {"n": {"type": "integer"}}})
    made = [key.create("numbers", {"n": n})["id"] for n in range(6)]
    ns = lambda query: [each["n"] for each in data(key, query)["numbers"]]  # noqa: E731
    assert ns("{numbers{n}}") == [0, 1, 2, 3, 4, 5]
    assert ns("{numbers(sort: {n: -1}, limit: 2, skip: 1){n}}") == [4, 3]
    assert ns(f'{{numbers(after: "{made[3]}"){{n}}}}') == [4, 5]
    assert ns("{numbers(filter: {or: [{n: 1}, {n: {gte: 4}}]}){n}}") == [1, 4, 5]
    assert ns("{numbers(limit: 0){n}}") == []
    assert data(key, "{numbersCount(filter: {n: {lt: 2}})}") == {"numbersCount": 2}


def test_names_with_dashes(key, data):
    made = data(key, "mutation{createLoose_ends(input: {data: {a: 1}}){id data __typename}}")["createLoose_ends"]
    assert made["data"] == {"a": 1} and made["__typename"] == "Loose_ends"
    assert {"data": {"a": 1}} in data(key, "{loose_ends{data}}")["loose_ends"]
    refused(key.post("/admin/collections", {"name": "x"}), 403)


def test_names_that_clash_are_refused(project):
    ok(project.admin.post("/admin/collections", {"name": "a-b"}), 201)
    refused(project.admin.post("/admin/collections", {"name": "a_b"}), 409, "CONFLICT")


def test_partial_failure(key, codes, graphql):
    answer = graphql(key, 'mutation{a: createPosts(input: {}){id} b: createPosts(input: {title: "b"}){title}}')
    assert answer["data"] == {"a": None, "b": {"title": "b"}}
    (error,) = answer["errors"]
    assert error["path"] == ["a"] and error["locations"] == [{"line": 1, "column": 10}]
    assert error["extensions"]["code"] == "VALIDATION"
    assert error["extensions"]["details"][0]["path"] == "/title"
    assert codes(key, 'mutation{deletePosts(id: "nope")}') == ["NOT_FOUND"]
    key.create("posts", {"id": "taken", "title": "x"})
    assert codes(key, 'mutation{createPosts(input: {id: "taken", title: "y"}){id}}') == ["CONFLICT"]


def test_scopes_and_gates(blog, data, codes):
    reader, writer, other = blog.api_key("read"), blog.api_key("write"), blog.api_key("storage")
    assert "posts" in data(reader, "{posts(limit: 1){id}}")
    assert codes(reader, 'mutation{createPosts(input: {title: "x"}){id}}') == ["FORBIDDEN"]
    assert codes(writer, "{posts{id}}") == ["FORBIDDEN"]
    assert codes(other, "{posts{id}}") == codes(other, "{nowhere{id}}") == ["VALIDATION"]
    refused(blog.public().post("/graphql", {"query": "{posts{id}}"}), 401, "UNAUTHENTICATED")
    refused(reader.call("POST", "/graphql", content=b'{"query"'), 400, "INVALID_JSON")
    refused(reader.call("POST", "/graphql", content=b'{"query": "{a}", "query": "{b}"}'), 400, "INVALID_JSON")
    refused(reader.call("POST", "/graphql", content=b"[]"), 400, "VALIDATION")
    refused(reader.post("/graphql", {"query": "{a}"}, headers={"content-type": "text/plain"}), 415)
    assert refused(reader.get("/graphql"), 405, "METHOD_NOT_ALLOWED")


def test_a_suspended_project(owner, data):
    project = owner.create_project()
    project.collection("things")
    key = project.api_key("read")
    assert data(key, "{things{id}}") == {"things": []}
    ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
    refused(key.post("/graphql", {"query": "{things{id}}"}), 403, "PROJECT_SUSPENDED")


def test_media_type(key):
    wanted = "application/graphql-response+json"
    answer = key.post("/graphql", {"query": "{__typename}"}, headers={"accept": f"{wanted}, application/json"})
    assert answer.headers["content-type"].startswith(wanted) and answer.json() == {"data": {"__typename": "Query"}}
    assert key.post("/graphql", {"query": "{"}).headers["content-type"].startswith("application/json")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": None},
        {"query": 1},
        {"query": ["{a}"]},
        {"query": ""},
        {"query": "{__typename}", "variables": "x"},
        {"query": "{__typename}", "variables": []},
        {"query": "{__typename}", "operationName": 1},
        {"query": "{__typename}", "operationName": {}},
        {"query": "{__typename}", "operationName": "Nope"},
        {"query": "{__typename}", "extensions": 3},
        {"query": "{__typename", "variables": {}},
        {"query": "subscription{posts{id}}"},
        {"query": "{a:__typename b{c}}"},
    ],
    ids=json.dumps,
)
def test_bad_requests_are_answered(key, body):
    answer = ok(key.post("/graphql", body))
    assert set(answer) == {"errors"} and answer["errors"][0]["extensions"]["code"] == "VALIDATION"


def test_null_beside_what_matters(key, data):
    body = {"query": "query A{__typename} query B{t: __typename}", "operationName": "B", "variables": None}
    assert ok(key.post("/graphql", body)) == {"data": {"t": "Query"}}
    body = {"query": "{__typename}", "operationName": None, "extensions": None, "unheard-of": 1}
    assert ok(key.post("/graphql", body)) == {"data": {"__typename": "Query"}}


def test_empty_project(owner, data, reference, graphql):
    from support.graphql_reference import INTROSPECTION

    key = owner.create_project().api_key("read", "write")
    introspection = data(key, INTROSPECTION)
    assert reference.schema(introspection) == [] and introspection["__schema"]["mutationType"] is None
    assert data(key, "{_empty}") == {"_empty": None}
    directives = {one["name"]: one for one in introspection["__schema"]["directives"]}
    assert set(directives) == {"include", "skip", "deprecated", "specifiedBy"}
    assert "FIELD_DEFINITION" in directives["deprecated"]["locations"]
    assert [one["defaultValue"] for one in directives["deprecated"]["args"]] == ['"No longer supported"']


def test_directives_of_a_schema_are_for_no_request(owner, graphql):
    key = owner.create_project().api_key("read", "write")
    for directive in ("@deprecated", '@specifiedBy(url: "https://a.test")'):
        assert "errors" in graphql(key, f"{{_empty {directive}}}")


def test_the_schema_follows_the_project(owner, data, graphql):
    project = owner.create_project()
    key = project.api_key("read", "write")
    name = unique("fresh")
    assert "errors" in graphql(key, f"{{{name}{{id}}}}")
    project.collection(name, schema={"type": "object", "properties": {"a": {"type": "string"}}})
    assert data(key, f"{{{name}{{a}}}}") == {name: []}
    ok(project.admin.put(f"/admin/collections/{name}/schema", {"type": "object", "properties": {"b": {}}}), 204)
    assert "errors" in graphql(key, f"{{{name}{{a}}}}")
    assert data(key, f"{{{name}{{b}}}}") == {name: []}
    ok(project.admin.post(f"/admin/collections/{name}/rename", {"to": name + "z"}), 204)
    assert data(key, f"{{{name}z{{b}}}}") == {name + "z": []}


def test_metrics_have_a_plane_of_it(owner):
    project = owner.create_project()
    key = project.api_key("read")
    ok(key.post("/graphql", {"query": "{__typename}"}))
    refused(key.call("POST", "/graphql", content=b"{"), 400)
    planes = ok(project.admin.get("/admin/metrics"))["planes"]
    assert planes["graphql"] == {"ok": 1, "error": 1} and planes["data"] == {"ok": 0, "error": 0}


def test_writes_are_events_and_go_through_hooks(project, key, data, codes):
    """The write path is that of REST: schema, field rules and CEL."""
    policy = {**OPEN_POLICY, "create": {"validate": "document.n > 2"}, "update": {"immutableFields": ["n"]}}
    project.collection("ruled", policy, {"type": "object", "properties": {"n": {"type": "integer"}}})
    assert codes(key, "mutation{createRuled(input: {n: 1}){id}}") == ["FORBIDDEN"]
    made = data(key, "mutation{createRuled(input: {n: 3}){id ownerId}}")["createRuled"]
    assert made["ownerId"] == key.id
    assert codes(key, f'mutation{{updateRuled(id: "{made["id"]}", patch: {{n: 4}}){{id}}}}') == ["FORBIDDEN"]
    assert codes(key, f'mutation{{replaceRuled(id: "{made["id"]}", input: {{n: 4}}){{id}}}}') == ["FORBIDDEN"]
