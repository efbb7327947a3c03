"""/openapi.json: valid, complete, and equal to what the server does."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from support.client import Api, ok, refused
from support.described import Described
from support.node_packages import NODE, installed
from support.routes import ADMIN, CONTROL, DATA, END_USER, OPERATOR, PUBLIC
from support.server import ROOT

VALIDATOR = Path(__file__).resolve().parent / "validator"

NOTES = {
    "type": "object",
    "required": ["title"],
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "stars": {"type": "integer", "minimum": 0, "default": 3},
        "authorId": {"type": "string", "x-ref": "people"},
        "secret": {"type": "string"},
    },
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def typed_project(owner):
    project = owner.create_project()
    admin = project.admin
    for name in ("people", "notes", "a-b_c"):
        ok(admin.post("/admin/collections", {"name": name}), 201)
    ok(admin.put("/admin/collections/notes/schema", NOTES), 204)
    policy = {"read": {"deniedReadFields": ["secret"]}, "list": {}, "create": {}}
    ok(admin.put("/admin/collections/notes/policy", policy), 204)
    return project


@pytest.fixture(scope="module")
def anonymous(server):
    return Api(server)


@pytest.fixture(scope="module")
def general(anonymous):
    return Described(ok(anonymous.get("/openapi.json")))


@pytest.fixture(scope="module")
def typed(typed_project):
    return Described(ok(typed_project.admin.get(f"/projects/{typed_project.id}/openapi.json")))


@pytest.fixture(scope="module", params=["general", "typed"])
def described(request):
    return request.getfixturevalue(request.param)


def test_two_validators_accept_it(described):
    errors = list(OpenAPIV31SpecValidator(described.spec).iter_errors())
    assert errors == []
    program = installed(VALIDATOR, "description-validator") / "validate.mjs"
    done = subprocess.run(
        [NODE, program], input=json.dumps(described.spec), capture_output=True, text=True, timeout=120, check=True
    )
    assert json.loads(done.stdout) == []


# ---- docs/api.md: what people read of the same routes

METHODS = r"(?:OPTIONS|GET|HEAD|POST|PUT|PATCH|DELETE)"
BASES = {
    "Service": [""],
    "End users: `/auth`, and platform users: `/control/auth`": ["/auth", "/control/auth"],
    "Control plane: `/control`": ["/control"],
    "Documents: `/:collection`": [""],
    "Files: `/storage`": [""],
    "Administration: `/admin`": ["/admin"],
}
# Permissions that another page names.
ELSEWHERE = {"GET /projects/{}/openapi.json": "collections:read"}


def as_template(path: str) -> str:
    return re.sub(r"\{[^}]*\}|[:*][a-zA-Z]+", "{}", path.removeprefix("/api/v1").partition("?")[0])


def paths_of(cell: str) -> list[str]:
    """Returns the paths of a table's cell; a later one may be in the folder of the first."""
    paths = [as_template(code) for code in re.findall(r"`(/[^`]*)`", cell)]
    folder = paths[0].rpartition("/")[0] if paths else ""
    return paths + [folder + path for path in paths[1:]]


def permissions_of(cell: str) -> list[str]:
    """Returns the permissions of a table's cell; ":create" follows the first."""
    found = [code.replace("<collection>", "{}") for code in re.findall(r"`([^`]+)`", cell) if ":" in code]
    return [found[0].rpartition(":")[0] + each if each.startswith(":") else each for each in found]


@pytest.fixture(scope="module")
def reference() -> dict[str, list[str]]:
    """The routes of docs/api.md, each with the permissions that its row names."""
    text = (ROOT / "docs" / "api.md").read_text()
    found = {}
    for section in re.split(r"(?m)^## ", text)[1:]:
        title, _, rest = section.partition("\n")
        for methods, paths, permissions in re.findall(rf"(?m)^\| ({METHODS}(?:, {METHODS})*) \| (.*?) \| (.*) \|$", rest):
            for base in BASES[title]:
                for path in paths_of(paths):
                    for method in methods.split(", "):
                        found[f"{method} {base}{path}"] = permissions_of(permissions) if base == "/admin" else []
    for methods, path, permission in re.findall(
        rf"`({METHODS}(?:, {METHODS})*) (/[^`? ]*)[^`]*`(?: \(permission `([^`]+)`\))?", text
    ):
        for method in methods.split(", "):
            found.setdefault(f"{method} {as_template(path)}", [permission] if permission else [])
    assert len(found) > 140
    return found


def test_the_reference_names_every_route(general, reference):
    routes = {f"{method} {as_template(path)}" for method, path, _ in general.operations() if path.startswith("/api/v1/")}
    assert {name for name in routes - set(reference) if " /run/" not in name} == set()


def test_permissions_are_those_of_the_reference(general, reference):
    for route in ADMIN:
        name = f"{route.method} {as_template(route.path)}"
        needed = route.permission.replace("{collection}", "{}")
        written = [ELSEWHERE[name]] if name in ELSEWHERE else reference[name]
        assert needed in written, f"{route} needs {needed}; docs/api.md: {written}"
        reads = {each for each in written if each.endswith((":read", ":list"))}
        if 0 < len(reads) < len(written):
            assert (needed in reads) == (route.method == "GET"), f"{route} needs {needed}; docs/api.md: {written}"


WITHOUT_TOKEN = {
    "GET /health",
    "GET /ready",
    "GET /jwks.json",
    "GET /openapi.json",
    "GET /control/setup-status",
    "POST /control/auth/invites/accept",
    *(
        f"POST {prefix}/{path}"
        for prefix in ("/auth", "/control/auth")
        for path in (
            "register",
            "login",
            "refresh",
            "logout",
            "mfa/verify",
            "verify-email/request",
            "verify-email",
            "password-reset/request",
            "password-reset",
        )
    ),
}


def test_gates_follow_the_paths():
    """A route's plane follows from its path; those that need no token are named here."""
    assert {str(route) for route in PUBLIC} == WITHOUT_TOKEN
    assert {str(route) for route in OPERATOR} == {
        "GET /control/audit",
        "GET /control/admin/users",
        "GET /control/admin/operators",
        "POST /control/admin/operators",
        "DELETE /control/admin/operators/{address}",
        "GET /control/jobs/dead",
        "POST /control/jobs/dead/{job}/retry",
        "DELETE /control/jobs/dead/{job}",
    }
    starts = {"enduser": "/auth/", "control": "/control/", "admin": ("/admin/", "/projects/"), "data": "/{collection}"}
    scopes = {"POST /admin/functions/{function}/invoke": "functions"}
    for route in END_USER + CONTROL + ADMIN + DATA:
        assert route.path.startswith(starts[route.plane]), route
        if route.plane == "admin":
            assert route.scope == scopes.get(str(route), "admin") and route.permission, route
        if route.plane == "data":
            assert route.scope == ("read" if route.permission.endswith((":read", ":list")) else "write"), route


def test_what_can_only_refuse_is_left_out(general):
    """Billing is off on this deployment."""
    assert not [path for _, path, _ in general.operations() if "billing" in path or path.endswith(("/plans", "/plan"))]
    for method, path, operation in general.operations():
        assert any(status < "400" or status == "default" for status in operation["responses"]), (method, path)


def test_everything_has_words(described):
    ids = [operation["operationId"] for _, _, operation in described.operations()]
    assert len(ids) == len(set(ids)) and len(ids) > 140
    tags = [tag["name"] for tag in described.spec["tags"]]
    assert len(tags) == len(set(tags)) and all(tag["description"] for tag in described.spec["tags"])
    for method, path, operation in described.operations():
        where = f"{method} {path}"
        assert operation["summary"] and set(operation["tags"]) <= set(tags), where
        for parameter in operation.get("parameters", []):
            assert parameter["description"] and parameter["schema"]["examples"], where
        for response in operation["responses"].values():
            assert described.resolved(response)["description"], where


def test_bounds_of_lists_stand_at_the_lists(described):
    def schemas(value):
        if isinstance(value, dict):
            yield value
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from schemas(inner)

    bounded = [each for each in schemas(described.spec) if isinstance(each.get("maxItems"), int)]
    assert bounded and all(each.get("type") == "array" for each in bounded)


def media(described, method, path, operation):
    """Yields (where, media type, media object) for all bodies and responses of an operation."""
    if "requestBody" in operation:
        for kind, found in operation["requestBody"]["content"].items():
            yield f"{method} {path} body", kind, found
    for status, response in operation["responses"].items():
        for kind, found in described.resolved(response).get("content", {}).items():
            yield f"{method} {path} {status}", kind, found


def test_examples_match_their_schemas(described):
    count = 0
    for one in described.operations():
        for parameter in one[2].get("parameters", []):
            for example in parameter["schema"]["examples"]:
                assert described.takes(parameter["schema"], example) is None, (one[:2], parameter)
        for where, _, found in media(described, *one):
            examples = [found["example"]] if "example" in found else []
            examples += [example["value"] for example in found.get("examples", {}).values()]
            assert examples, where
            for example in examples:
                assert described.takes(found["schema"], example) is None, f"{where}: {example}"
                count += 1
    for name, schema in described.spec["components"]["schemas"].items():
        for example in schema.get("examples", []):
            assert described.takes(schema, example) is None, name
        for field, part in schema.get("properties", {}).items():
            for example in part.get("examples", []):
                assert described.takes(part, example) is None, f"{name}.{field}"
    assert count > 300


def test_a_path_takes_the_methods_of_the_document(general, anonymous):
    """OPTIONS lists the same methods of a path as the document: those of all templates that it matches."""
    for path in general.spec["paths"]:
        if not path.startswith("/api/v1/"):
            continue
        concrete = re.sub(r"\{[^}]*\}", "x", path)
        answer = anonymous.call("OPTIONS", concrete)
        assert answer.status_code == 204, path
        allowed = set(answer.headers["allow"].split(", "))
        methods = {method.upper() for _, item in general.fitting(concrete) for method in item}
        if "GET" in methods:
            methods.add("HEAD")
        assert allowed == methods | {"OPTIONS"}, path


# ---- the document of a project


def test_a_project_has_its_collections(typed, general):
    paths = typed.spec["paths"]
    assert "/api/v1/{collection}" not in paths
    assert set(paths["/api/v1/notes"]) == {"get", "post"}
    assert set(paths["/api/v1/a-b_c/{id}"]) == {"get", "patch", "put", "delete"}
    schemas = typed.spec["components"]["schemas"]
    assert schemas["Document.notes"]["properties"]["title"]["minLength"] == 1
    assert "secret" not in schemas["Document.notes"]["properties"]
    assert schemas["NewDocument.notes"]["required"] == ["title"]
    assert schemas["NewDocument.notes"]["additionalProperties"] is False
    created = paths["/api/v1/notes"]["post"]["responses"]["201"]["content"]["application/json"]["schema"]
    assert created["properties"]["document"] == {"$ref": "#/components/schemas/Document.notes"}
    assert set(general.spec["paths"]) - {path for path in general.spec["paths"] if "{collection}" in path} <= set(paths)


def test_documents_are_as_in_the_document_of_a_project(typed, typed_project):
    user = typed_project.api_key("write", "read")
    example = typed.spec["paths"]["/api/v1/notes"]["post"]["requestBody"]["content"]["application/json"]["example"]
    answer = user.post("/notes", {key: value for key, value in example.items() if key != "id"})
    operation = typed.spec["paths"]["/api/v1/notes"]["post"]
    problem = typed.problem(operation, answer.status_code, answer.headers["content-type"], answer.json())
    assert answer.status_code == 201 and problem is None, problem


def test_a_change_shows_at_once(owner):
    project = owner.create_project()
    path = f"/projects/{project.id}/openapi.json"
    first = project.admin.get(path)
    ok(project.admin.post("/admin/collections", {"name": "things"}), 201)
    second = project.admin.get(path, headers={"if-none-match": first.headers["etag"]})
    assert "/api/v1/things" in ok(second)["paths"] and "/api/v1/things" not in ok(first)["paths"]
    assert first.headers["etag"] != second.headers["etag"]
    assert project.admin.get(path, headers={"if-none-match": second.headers["etag"]}).status_code == 304


def test_a_token_that_may_read_collections_gets_the_typed_one(typed_project, anonymous, typed):
    key = typed_project.api_key("admin")
    for api in (typed_project.admin, key):
        answer = api.get("/openapi.json")
        assert ok(answer) == typed.spec
        assert answer.headers["vary"].startswith("authorization")
        assert answer.headers["cache-control"] == "private, no-cache"
    for api in (anonymous, typed_project.end_user(), typed_project.api_key("read", "write"), Api(anonymous.server, "nonsense")):
        assert "/api/v1/{collection}" in ok(api.get("/openapi.json"))["paths"]


def test_who_may_read_a_projects(typed_project, owner, anonymous):
    path = f"/projects/{typed_project.id}/openapi.json"
    refused(anonymous.get(path), 401, "UNAUTHENTICATED")
    refused(typed_project.end_user().get(path), 403, "FORBIDDEN")
    refused(typed_project.api_key("read").get(path), 403, "FORBIDDEN")
    refused(owner.get(path), 401, "UNAUTHENTICATED")
    other = owner.create_project()
    refused(other.admin.get(path), 404, "NOT_FOUND")
    refused(typed_project.admin.get("/projects/nobody/openapi.json"), 404, "NOT_FOUND")
    assert ok(typed_project.api_key("admin").get(path))["info"]["title"]
    ok(typed_project.member("Viewer").get(path))


def test_each_caller_sees_the_collections_that_they_reach(owner):
    project = owner.create_project()
    refers = {"type": "object", "properties": {"paidBy": {"type": "string", "x-ref": "payrolls"}}}
    project.collection("payrolls", schema={"type": "object", "properties": {"salary": {"type": "integer"}}})
    project.collection("notices", schema=refers)
    project.collection("ledgers", policy=None)
    path = f"/projects/{project.id}/openapi.json"
    reads = "collections:read"
    callers = {
        "all": (project.admin, {"payrolls", "notices", "ledgers"}),
        "viewer": (project.member("Viewer"), {"payrolls", "notices"}),  # a collection without a policy has no rule
        "one": (project.member(project.role(reads, "data:notices:*")), {"notices"}),
        "other": (project.member(project.role(reads, "data:payrolls:read")), {"payrolls"}),
        "none": (project.member(project.role(reads)), set()),
    }
    tags = {}
    for _ in range(2):  # built, then cached
        for name, (api, seen) in callers.items():
            for where in (path, "/openapi.json"):
                answer = api.get(where)
                spec = ok(answer)
                shown = {each for each in ("payrolls", "notices", "ledgers") if f"/api/v1/{each}" in spec["paths"]}
                assert shown == seen, (name, where)
                # Hidden collections are named by no reference, tag or schema either.
                assert all(word in answer.text for word in seen), name
                assert not [word for word in ("payrolls", "notices", "ledgers") if word not in seen and word in answer.text]
                assert answer.headers["vary"].startswith("authorization")
                assert answer.headers["cache-control"] == "private, no-cache"
                tags[name] = answer.headers["etag"]
    assert len(set(tags.values())) == len(tags)
    # The etag of another caller does not match.
    assert callers["one"][0].get(path, headers={"if-none-match": tags["all"]}).status_code == 200
    assert callers["one"][0].get(path, headers={"if-none-match": tags["one"]}).status_code == 304
    # A new permission or rule takes effect with the next request.
    ok(project.admin.put("/admin/collections/ledgers/policy", {"list": {}}), 204)
    assert "/api/v1/ledgers" in ok(callers["viewer"][0].get(path))["paths"]


def test_it_is_kept_and_checked_by_its_tag(anonymous):
    answer = anonymous.get("/openapi.json")
    tag = answer.headers["etag"]
    assert anonymous.get("/openapi.json", headers={"if-none-match": tag}).status_code == 304
    assert anonymous.get("/openapi.json", headers={"if-none-match": '"other"'}).status_code == 200
    head = anonymous.call("HEAD", "/openapi.json")
    assert head.status_code == 200 and head.headers["etag"] == tag and not head.content
    packed = anonymous.get("/openapi.json", headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip" and packed.json() == answer.json()


def test_a_suspended_project(owner):
    project = owner.create_project()
    admin = project.admin
    ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
    refused(admin.get(f"/projects/{project.id}/openapi.json"), 403, "PROJECT_SUSPENDED")
    assert "/api/v1/{collection}" in ok(admin.get("/openapi.json"))["paths"]
