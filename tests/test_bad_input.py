"""Every route with invalid input: it responds with the documented error, the server stays up, and nothing changes."""

import itertools
import json

import pytest

from support.client import PASSWORD, Api, PlatformUser, fresh_address, ok, refused, unique
from support.raw_http import RawConnection
from support.routes import ADMIN, ALL, CONTROL, DATA, DOCUMENT, END_USER, PUBLIC, Route

JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def server_settings():
    return {"SERVICE_OPERATORS": "on"}


class World:
    """A project with an entry of every kind, and a caller for each plane with all permissions in it."""

    def __init__(self, owner):
        self.seen: str | None = None  # the state where it is known
        self.owner = owner
        self.project = project = owner.create_project()
        self.admin = project.admin
        self.collection = project.collection("Things", indexes=[{"keys": {"n": 1}, "name": "by-n"}])
        self.user = project.end_user()
        self.doc = self.user.create(self.collection, {"n": 1, "text": "a"})["id"]
        self.role = project.role("audit:read")
        self.enduser_role = project.enduser_role("data:*:read")
        self.key = project.api_key("read").id
        self.member = PlatformUser(owner.server)
        project.member("Viewer", self.member)
        self.someone = project.end_user()
        hook = {"name": "hook", "collection": self.collection, "events": ["delete"], "url": "http://127.0.0.1:9/"}
        ok(self.admin.post("/admin/webhooks", hook), 201)
        api = {"name": "api", "provider": "http", "config": {"baseUrl": "http://127.0.0.1:9/"}}
        ok(self.admin.post("/admin/integrations", api), 201)
        ok(self.admin.post("/admin/storage/buckets", {"name": "files"}), 201)
        ok(self.admin.put("/admin/variables/API_URL", {"value": "https://example.com"}), 204)
        greet = {"name": "greet", "trigger": {"type": "cron", "schedule": "@monthly"}, "enabled": False}
        ok(self.admin.post("/admin/functions", {**greet, "code": "export default () => 1;"}), 201)
        members = project.collection("Members", policy=None, indexes=[{"keys": {"userId": 1}}])
        teams = {"collection": members, "where": {"userId": "$auth.uid"}, "value": "teamId"}
        ok(self.admin.put("/admin/policies/sets/teams", teams), 204)
        github = {"kind": "github", "name": "deploys", "config": {"owner": "octo"}}
        self.connection = ok(owner.post("/control/connections", github), 201)["connection"]["id"]
        self.names = {
            "collection": self.collection,
            "doc": self.doc,
            "index": "by-n",
            "role": self.role,
            "enduser_role": self.enduser_role,
            "key": self.key,
            "user": self.someone.id,
            "member": self.member.id,
            "project": project.id,
            "session": "sess_00000000000000000000",
            "webhook": "hook",
            "function": "greet",
            "variable": "API_URL",
            "version": "1",
            "integration": "api",
            "bucket": "files",
            "delivery": "dlv_00000000000000000000",
            "run": "run_00000000000000000000",
            "identity": "idn_00000000000000000000",
            "connection": self.connection,
            "provider": "google",
            "address": "nobody@example.com",
            "job": "job_00000000000000000000",
            "policy_set": "teams",
        }

    def caller(self, route: Route) -> Api:
        return {
            "public": self.project.public(),
            "enduser": self.user,
            "control": self.owner,
            "operator": self.owner,
            "admin": self.admin,
            "data": self.admin,
        }[route.plane]

    def path(self, route: Route, **other) -> str:
        return route.path.format(**{**self.names, **other})

    def samples(self) -> dict:
        """Returns values of the required fields of bodies, by name."""
        return {
            "name": unique("name"),
            "email": f"{unique()}@example.com",
            "password": PASSWORD,
            "current": PASSWORD,
            "role": "Viewer",
            "to": unique("to"),
            "keys": {"zz": 1},
            "permissions": ["audit:read"],
            "scopes": ["read"],
            "refreshToken": "x",
            "token": "x",
            "mfaToken": "x",
            "code": "123456",
            "clientId": "a-client",
            "enabled": True,
            "allowedRedirects": ["https://app.example.com"],
            "formatVersion": 1,
            "kind": "github",
            "environment": unique("e")[:16],
            "userId": self.owner.id,
            "fromProjectId": self.project.id,
            "toProjectId": self.project.id,
            "collection": self.collection,
            "events": ["insert"],
            "url": "https://example.com/",
            "provider": "http",
            "op": "get",
            "tests": [],
            "trigger": {"type": "cron", "schedule": "@daily"},
            "version": 1,
            "access": "public",
            "fields": [{"name": "near", "dimensions": 3}],
            "where": {"n": "$auth.uid"},
            "value": "text",
            "caller": {"role": "user"},
            "operation": "read",
            "schema": {"type": "object"},
        }

    def good_body(self, route: Route) -> dict:
        """Returns a body that the route accepts. Tests change it before they send it."""
        values = self.samples()
        return {name: values[name] for name, field in (route.body or {}).items() if field.required}

    def state(self) -> str:
        """Returns the whole state as text."""
        admin, owner, pages = self.admin, self.owner, {"limit": 1000}
        parts = [
            ok(admin.get(path, params=pages if path == "/admin/users" else None))
            for path in (
                "/admin/collections",
                "/admin/roles",
                "/admin/enduser-roles",
                "/admin/users",
                "/admin/webhooks",
                "/admin/integrations",
                "/admin/functions",
                "/admin/storage/buckets",
                "/admin/vector-configs",
                "/admin/policies/sets",
                "/admin/variables",
            )
        ]
        parts += [
            ok(admin.get(f"/admin/collections/{self.collection}/{part}", params=pages if part == "documents" else None))
            for part in ("schema", "policy", "indexes", "documents")
        ]
        parts += [
            ok(owner.get(path))
            for path in (
                f"/control/projects/{self.project.id}",
                f"/control/projects/{self.project.id}/members",
                "/control/projects",
            )
        ]
        keys = [
            {name: key[name] for name in ("id", "name", "scopes")}
            for key in ok(admin.get("/admin/api-keys"))["apiKeys"]
        ]
        return json.dumps([parts, keys])


@pytest.fixture(scope="module")
def world(owner):
    return World(owner)


@pytest.fixture
def unchanged(world):
    before = world.seen or world.state()
    yield
    # That after a test is that before the next.
    world.seen = world.state()
    assert world.seen == before


@pytest.fixture(autouse=True)
def may_change(request, world):
    """A test that does not compare the state may change it."""
    yield
    if "unchanged" not in request.fixturenames:
        world.seen = None


def test_every_route_has_its_samples(world):
    """A new route needs a name for each parameter of its path, and a sample of each required field of its body."""
    missing = [f"{route}: {{{name}}}" for route in ALL for name in route.parameters if name not in world.names]
    samples = world.samples()
    for route in ALL:
        fields = [name for name, field in (route.body or {}).items() if field.required]
        missing += [f"{route}: a sample of {name}" for name in fields if name not in samples]
        if set(fields) <= set(samples) and route.body:
            problem = DOCUMENT.takes(route.schema, world.good_body(route))
            missing += [f"{route}: a valid sample: {problem}"] if problem else []
    assert missing == []


WITH_FIELDS = [route for route in ALL if route.body]
WITH_BODY = [route for route in ALL if route.body or route.document]
WITHOUT_BODY = [route for route in ALL if route.body is None and not route.document]

WRONG = {
    "any": [],
    "number": ["1", True, [], {}, {"$gt": 1}],
    "string": [5, 1.5, True, [], ["a"], {}, {"$ne": ""}, {"$gt": ""}, {"$oid": "507f1f77bcf86cd799439011"}],
    "bool": ["true", 1, 0, [], {}, {"$ne": True}],
    "int": ["1", 1.5, True, [], {}, {"$gt": 1}, 1e300, -1],
    "object": ["x", 5, True, [], [1]],
    "array": ["x", 5, True, {}, {"0": "a"}, {"$in": ["a"]}],
}


@pytest.mark.parametrize("route", WITH_FIELDS, ids=str)
def test_wrong_types_everywhere(world, unchanged, route):
    api, path = world.caller(route), world.path(route)
    for name, field in route.body.items():
        for wrong in WRONG[field.kind] + ([None] if field.required else []):
            body = {**world.good_body(route), name: wrong}
            error = refused(api.call(route.method, path, body), 400, "VALIDATION")
            assert any(detail["path"].split("/")[1:2] == [name] for detail in error.get("details", [])), (
                f"{body}: {error}"
            )


@pytest.mark.parametrize("route", WITH_FIELDS, ids=str)
def test_missing_and_unknown_fields(world, unchanged, route):
    api, path, good = world.caller(route), world.path(route), world.good_body(route)
    for name, field in route.body.items():
        if field.required:
            body = {key: value for key, value in good.items() if key != name}
            refused(api.call(route.method, path, body), 400, "VALIDATION", f"/{name}")
    for name in ("zzz", "$set", "__proto__", "Name", "id", ""):
        if name not in route.body:
            refused(api.call(route.method, path, {**good, name: 1}), 400, "VALIDATION", f"/{name}")
    error = refused(api.call(route.method, path, {"zz1": 1, "zz2": 2}), 400, "VALIDATION")
    assert {"/zz1", "/zz2"} <= {detail["path"] for detail in error["details"]}


@pytest.mark.parametrize("route", WITH_FIELDS, ids=str)
def test_arrays_of_wrong_things(world, unchanged, route):
    api, path = world.caller(route), world.path(route)
    for name, field in route.body.items():
        if field.kind == "array":
            for wrong in ([1], [None], [["a"]], [{}], ["audit:read", 5], [{"$ne": "a"}], ["\u0000"], ["x" * 100_000]):
                refused(api.call(route.method, path, {**world.good_body(route), name: wrong}), 400, "VALIDATION")
            many = {**world.good_body(route), name: [f"data:c{n}:read" for n in range(20_000)]}
            assert api.call(route.method, path, many).status_code in (400, 413)


BROKEN_JSON = {
    "nothing": b"",
    "space": b"  ",
    "cut": b'{"a": ',
    "trailing": b'{"a": 1} x',
    "comma": b'{"a": 1,}',
    "quotes": b"{'a': 1}",
    "NUL": b'{"a": "\x00"}',
    "utf-8": b'{"a": "\xff\xfe"}',
    "overlong": b'{"a": "\xc0\xaf"}',
    "surrogate": b'{"a": "\\ud800"}',
    "duplicate": b'{"a": 1, "a": 2}',
    "inner duplicate": b'{"a": {"b": 1, "b": 2}}',
    "huge number": b'{"a": 1e999}',
    "NaN": b'{"a": NaN}',
    "deep arrays": b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}",
    "deep objects": b'{"a":' * 5000 + b"1" + b"}" * 5000,
    "open": b"[" * 100_000,
    "array": b"[]",
    "number": b"5",
    "string": b'"x"',
    "null": b"null",
    "NUL in a key": b'{"a\\u0000": 1}',
    "long digits": b'{"a": ' + b"9" * 5000 + b"}",
    "byte order": b"\xff\xfe{\x00}\x00",
    "comment": b"// x\n{}",
}


@pytest.mark.parametrize("route", WITH_BODY, ids=str)
def test_broken_json(world, unchanged, route):
    api, path = world.caller(route), world.path(route)
    for what, body in BROKEN_JSON.items():
        response = api.call(route.method, path, content=body, headers=JSON)
        if what == "long digits" and route.document:
            assert response.status_code < 500
            continue
        assert response.status_code == 400, f"{what}: {response.status_code} {response.text}"
        code = response.json()["error"]["code"]
        assert code in ("INVALID_JSON", "VALIDATION", "INVALID_BODY"), f"{what}: {code}"
        if what in ("cut", "duplicate", "utf-8", "deep arrays", "huge number", "NUL in a key"):
            assert code == "INVALID_JSON" or (what == "huge number"), f"{what}: {code}"
        if what in ("array", "number", "string", "null"):
            assert code == "VALIDATION", f"{what}: {code}"


@pytest.mark.parametrize("route", WITH_BODY, ids=str)
def test_no_body_and_other_types(world, unchanged, route):
    api, path = world.caller(route), world.path(route)
    assert api.call(route.method, path).status_code == 400
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        refused(
            api.call(route.method, path, content=b"{}", headers={"content-type": kind}), 415, "UNSUPPORTED_MEDIA_TYPE"
        )
    refused(
        api.call(route.method, path, content=b'{"a": "' + b"x" * route.largest + b'"}', headers=JSON),
        413,
        "PAYLOAD_TOO_LARGE",
    )


ODD_NAMES = [
    "%00",
    "a%00b",
    "%2e%2e",
    "a%2fb",
    "%ff",
    "%c0%af",
    "$ne",
    "%7B%22$ne%22%3A1%7D",
    "x" * 300,
    "x" * 5000,
    "%20",
    "a b".replace(" ", "%20"),
    "__proto__",
    "ä",
    "%F0%9F%98%80",
    "null",
    "-1",
    "*",
    "a;b",
    "a%0d%0ab",
    "%25",
]


@pytest.mark.parametrize("route", [route for route in ALL if "{" in route.path], ids=str)
def test_odd_names_and_ids_in_paths(world, unchanged, route):
    api = world.caller(route)
    parameters = [part[1:-1] for part in route.path.split("/") if part.startswith("{")]
    for parameter in parameters:
        for odd in ODD_NAMES:
            path = world.path(route, **{parameter: odd})
            if odd == "*" and route.path.endswith(("/policy",)):
                continue
            if route.method == "POST" and route.path in ("/{collection}",) and odd == "*":
                continue
            if route.method == "PUT" and parameter == "policy_set" and odd == "null":
                continue  # a name like another
            body = {"json": world.good_body(route) or {"n": 1}} if route.body or route.document else {}
            response = api.call(route.method, path, **body)
            # A run that is not in the log cannot be repeated, whatever its id.
            allowed = (400, 404, 405, 409) if route.path.endswith("/runs/{run}/retry") else (400, 404, 405)
            assert response.status_code in allowed, (
                f"{parameter} {odd!r}: {response.status_code} {response.text[:300]}"
            )


QUERIES = [
    "limit=-1",
    "limit=x",
    "limit=",
    "skip=-1",
    "skip=1.5",
    "limit=" + "9" * 30 + "x",
    "limit=%00",
    "limit=1%ff",
    "filter=x",
    "filter=[]",
    "filter=%7B%22$where%22:1%7D",
    "filter=%ff",
    "filter=" + "%7B%22$and%22:[" * 200,
    "expand=%00",
    "expand=%ff",
    "%ff=1",
    "a=%zz",
    "limit=1&limit=x",
]


@pytest.mark.parametrize("route", [route for route in ALL if route.method == "GET"], ids=str)
def test_odd_queries(world, unchanged, route):
    api, path = world.caller(route), world.path(route)
    for query in QUERIES:
        with RawConnection(api.server) as connection:
            head = f"GET /api/v1{path}?{query} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {api.token}\r\n"
            head += f"x-service-project: {world.project.id}\r\n\r\n" if route.plane == "public" else "\r\n"
            answer = connection.send(head.encode()).read_answer()
        assert answer is not None and answer.status in (200, 400, 401, 404), f"{query}: {answer}"
        if "documents" in path or route.path == "/{collection}":
            if query.split("=")[0] in ("limit", "skip") and query != "limit=1&limit=x":
                assert answer.status == 400 and json.loads(answer.body)["error"]["code"] == "INVALID_PARAM", (
                    f"{query}: {answer}"
                )
            if query.startswith("filter"):
                assert answer.status == 400, f"{query}: {answer}"


@pytest.mark.parametrize("route", [route for route in ALL if route.path.startswith(("/admin/", "/control/"))], ids=str)
def test_unknown_query_parameters(world, unchanged, route):
    api, path = world.caller(route), world.path(route)
    for query in ("nonsense=1", "Limit=1", "nonsense"):
        error = refused(api.call(route.method, f"{path}?{query}", address=fresh_address()), 400, "INVALID_PARAM")
        assert f'"{query.partition("=")[0]}" is not a query parameter of this route: use ' in error["message"]


def test_unknown_query_parameters_of_others(world):
    """The data plane ignores unknown parameters, and a provider may add parameters to the callback."""
    data = next(route for route in DATA if route.path == "/{collection}" and route.method == "GET")
    ok(world.caller(data).get(world.path(data) + "?nonsense=1"))
    for plane in ("/auth", "/control/auth"):
        query = f"state=x&code=y&scope=openid&authuser=0&project={world.project.id}"
        answer = world.project.public().get(f"{plane}/oauth/google/callback?{query}", address=fresh_address())
        assert answer.status_code in (302, 303, 404), answer.text


@pytest.mark.parametrize("route", WITHOUT_BODY, ids=str)
def test_bodies_where_none_is_wanted(world, route):
    """They are dropped or refused; the connection stays in step."""
    if route.method == "DELETE" or route.path.endswith(("/suspend", "/block", "/deactivate", "/rotate")):
        names = {name: "missing" for name in world.names}
    else:
        names = {}
    path = world.path(route, **names)
    api = world.caller(route)
    for content in (b"{}", b"not json", b"x" * 10_000):
        response = api.call(route.method, path, content=content, headers=JSON)
        assert response.status_code < 500
        assert api.get("/health").status_code == 200


NOISY_STRINGS = [
    "",
    " ",
    "\u0000",
    "a\u0000b",
    "\ud83d\ude00",
    "\u202e",
    "\ufffd",
    "'; DROP TABLE users; --",
    "<script>alert(1)</script>",
    "${7*7}",
    "{{7*7}}",
    "../../etc/passwd",
    "%s%n",
    "x" * 100_000,
    "\r\nx-injected: 1",
    "$auth.uid",
    "constructor",
    "null",
    "\u0130",
    "\x7f\x1b[31m",
]


@pytest.mark.parametrize("route", WITH_FIELDS, ids=str)
def test_noisy_strings(world, route):
    """Every string field with every such string: no 5xx, and the server stays up."""
    api, path = world.caller(route), world.path(route)
    for name, field in route.body.items():
        if field.kind != "string":
            continue
        for noise in NOISY_STRINGS:
            response = api.call(route.method, path, {**world.good_body(route), name: noise})
            assert response.status_code < 500, f"{name}={noise[:50]!r}: {response.text}"
            assert "x-injected" not in response.headers
            if (
                noise in ("\u0000", "a\u0000b")
                and name not in ("password", "refreshToken", "invite", "setupCode")
                and not path.endswith("/request")  # 204 for every address
                and response.status_code < 300
            ):
                raise AssertionError(f"NUL in {name} was taken: {response.text}")


DOCUMENTS = [
    {"$where": "1"},
    {"a": {"$where": "1"}},
    {"$set": {"$set": {"a": 1}}},
    {"$set": {"a": {"$inc": 1}}},
    {"a.$b": 1},
    {"": 1},
    {"a": {"": {"$x": 1}}},
    {"$inc": {"n": {"$gt": 1}}},
    {"$push": {"n": {"$each": {"$each": []}}}},
    {"$rename": {"n": "$n"}},
    {"$rename": {"n": "id"}},
    {"$unset": {"id": 1}},
    {"$set": {"ownerId": {"$ne": 1}}},
    {"$set": {"createdAt": None}},
    {"$inc": {"n": 1e308}},
    {"$mul": {"n": -1e308}},
    {"$bit": {"n": {"and": 1.5}}},
    {"$set": {"a" * 2000: 1}},
    {"$set": {".".join(["a"] * 33): 1}},
    {"$push": {"list": {"$each": [1], "$position": 10**12}}},
    {"$push": {"list": {"$each": [1], "$slice": -(10**12)}}},
    {"$set": {"list.4294967295": 1}},
    {"$pull": {"n": {"$regex": "("}}},
    {"$pull": {"n": {"$where": "1"}}},
    {"$currentDate": {"a": {"$type": {"$ne": 1}}}},
    {"$set": [{"a": 1}]},
    {"$set": {"a": 1}, "b": 2},
    {"$setOnInsert": {"id": "x"}},
]


@pytest.mark.parametrize(
    "route", [route for route in ADMIN + DATA if route.document and "{doc}" in route.path], ids=str
)
def test_operators_where_values_belong(world, route):
    api, path = world.caller(route), world.path(route)
    for body in DOCUMENTS:
        response = api.call(route.method, path, body)
        assert response.status_code < 500, f"{body}: {response.text}"
        if route.method == "PUT" and any(key.startswith("$") for key in body):
            refused(response, 400, "INVALID_BODY")
    got = ok(world.admin.get(f"/admin/collections/{world.collection}/documents/{world.doc}"))["document"]
    assert got["id"] == world.doc and got["createdAt"] and got["updatedAt"]
    ok(world.admin.put(f"/admin/collections/{world.collection}/documents/{world.doc}", {"n": 1, "text": "a"}))


def test_operators_in_credentials(world):
    """An operator in place of a password, a token, an id."""
    public = world.project.public()
    for password in ({"$ne": ""}, {"$gt": ""}, {"$regex": ".*"}, {"$exists": True}, [PASSWORD], True, 1, None):
        refused(
            public.post("/auth/login", {"email": world.user.email, "password": password}),
            400,
            "VALIDATION",
            "/password",
        )
        refused(public.post("/auth/login", {"email": {"$ne": ""}, "password": password}), 400, "VALIDATION", "/email")
        refused(public.post("/auth/refresh", {"refreshToken": password}), 400, "VALIDATION", "/refreshToken")
    refused(public.post("/auth/login", {"email": world.user.email}), 400, "VALIDATION", "/password")


def test_routes_in_any_order_after_each_other(world, server):
    """One connection, every route, valid and invalid requests alternating: responses stay in step with requests."""
    with RawConnection(server) as connection:
        for number, (route, token) in enumerate(
            itertools.product(PUBLIC + END_USER + CONTROL[:2] + DATA[:1], (None, "x"))
        ):
            wanted = f"step-{number}"
            body = b'{"a": ' if number % 3 == 0 else b"{}"
            head = f"{route.method} /api/v1{world.path(route)} HTTP/1.1\r\nhost: x\r\nx-request-id: {wanted}\r\n"
            head += f"x-forwarded-for: 192.0.2.{number}\r\n"
            head += f"authorization: Bearer {token}\r\n" if token else ""
            if route.method == "POST":
                head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
                connection.send(head.encode() + body)
            else:
                connection.send(head.encode() + b"\r\n")
            answer = connection.read_answer()
            assert answer.headers["x-request-id"] == wanted and answer.status < 500
