"""Clients by kind of caller. Every response is checked against the rules that hold for all responses."""

import itertools
import json as json_module
import os
import random
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx

from support.described import Described
from support.server import Server

PASSWORD = "correct horse battery"
REQUEST_ID = re.compile(r"^[A-Za-z0-9._-]{1,64}$")
# Checks each response against the server's own OpenAPI document (./test long description).
DESCRIBED = bool(os.environ.get("MB_DESCRIBED"))
_counter = itertools.count(1)
_unset = object()


def unique(prefix: str = "n") -> str:
    """Returns a name that no other test uses."""
    return f"{prefix}{next(_counter)}x{random.randrange(16**4):04x}"


def fresh_address() -> str:
    """Returns an x-forwarded-for address that no other call uses, so that rate limits have no effect."""
    return ".".join(str(random.randrange(1, 255)) for _ in range(4))


def check_answer(response: httpx.Response, method: str = "GET") -> None:
    """Checks the rules that hold for every response of the API."""
    where = f"{response.request.method} {response.request.url} -> {response.status_code} {response.text[:2000]}"
    assert REQUEST_ID.match(response.headers.get("x-request-id", "")), f"no x-request-id: {where}"
    if response.status_code in (204, 304):
        assert not response.content, where
    if response.status_code < 400 or method == "HEAD":
        return
    assert response.headers.get("content-type", "").startswith("application/json"), where
    body = response.json()
    assert set(body) == {"error"}, where
    error = body["error"]
    assert {"code", "message"} <= set(error) <= {"code", "message", "details"}, where
    assert re.fullmatch(r"[A-Z][A-Z_]+", error["code"]), where
    assert isinstance(error["message"], str) and error["message"], where
    if "details" in error:
        assert error["details"], where
        for detail in error["details"]:
            assert set(detail) == {"path", "message"}, where
            assert isinstance(detail["path"], str) and isinstance(detail["message"], str), where
    if response.status_code == 401:
        assert response.headers.get("www-authenticate", "").startswith("Bearer"), f"no www-authenticate: {where}"
    if response.status_code == 405:
        assert response.headers.get("allow"), f"no allow: {where}"
    if response.status_code == 429:
        assert int(response.headers.get("retry-after", "-1")) >= 0, f"no retry-after: {where}"
    assert response.status_code != 500, where


_descriptions: dict[str, Described] = {}
# Statuses that the document's introduction lists for every request, and so no operation by itself.
_EVERYWHERE = (405, 408, 431)


def check_described(server: Server, response: httpx.Response) -> None:
    """Checks that the OpenAPI document contains the response."""
    request = response.request
    if server.url not in _descriptions:
        _descriptions[server.url] = Described(server.http.get("/api/v1/openapi.json").json())
    description = _descriptions[server.url]
    operation = description.operation(request.method, request.url.raw_path.decode().partition("?")[0])
    if operation is None or response.status_code in _EVERYWHERE or "/run/" in request.url.path:
        return
    kind = response.headers.get("content-type", "")
    try:
        body = response.json() if kind.startswith("application/json") and response.content else None
    except ValueError:
        body = None  # A stored file may have any content and type; all other JSON has a schema that null violates.
    problem = description.problem(operation, response.status_code, kind, body, head=request.method == "HEAD")
    assert problem is None, f"{request.method} {request.url} -> {response.status_code} {response.text[:1000]}: {problem}"


class Api:
    """HTTP with a bearer token. Paths are those below /api/v1."""

    def __init__(self, server: Server, token: str | None = None, project: str | None = None):
        self.server = server
        self.token = token
        self.project = project

    def call(
        self,
        method: str,
        path: str,
        json=_unset,
        *,
        content=None,
        params=None,
        headers=None,
        token=_unset,
        project=_unset,
        address: str | None = None,
    ) -> httpx.Response:
        """`json` is sent as a JSON body; `content` unchanged. `address`: the client address of the call."""
        sent = {"x-forwarded-for": address or fresh_address()}
        bearer = self.token if token is _unset else token
        named = self.project if project is _unset else project
        if bearer is not None:
            sent["authorization"] = f"Bearer {bearer}"
        if named is not None:
            sent["x-service-project"] = named
        if json is not _unset:
            content = json_module.dumps(json).encode()
            sent["content-type"] = "application/json"
        sent.update(headers or {})
        full = path if path.startswith("/api/") else "/api/v1" + path
        response = self.server.http.request(method, full, content=content, params=params, headers=sent)
        check_answer(response, method)
        if DESCRIBED:
            check_described(self.server, response)
        return response

    def get(self, path, **more):
        return self.call("GET", path, **more)

    def post(self, path, json=_unset, **more):
        return self.call("POST", path, json, **more)

    def put(self, path, json=_unset, **more):
        return self.call("PUT", path, json, **more)

    def patch(self, path, json=_unset, **more):
        return self.call("PATCH", path, json, **more)

    def delete(self, path, **more):
        return self.call("DELETE", path, **more)

    def list(self, collection: str, filter=None, **params) -> list:
        """Returns the documents of a collection on the data plane."""
        if filter is not None:
            params["filter"] = json_module.dumps(filter)
        return ok(self.get(f"/{collection}", params=params), 200)["documents"]

    def create(self, collection: str, document: dict) -> dict:
        return ok(self.post(f"/{collection}", document), 201)["document"]


def sent(request: httpx.Request) -> str:
    """What a request said, for messages."""
    body = request.content[:500] if hasattr(request, "_content") else b"a stream"
    return f"{request.method} {request.url} {body!r}"


def ok(response: httpx.Response, status: int = 200):
    """Checks the status; returns the response's body, None without a body."""
    assert response.status_code == status, (
        f"{sent(response.request)} gave {response.status_code}, not {status}: {response.text[:1500]}"
    )
    return response.json() if response.content else None


def refused(response: httpx.Response, status: int, code: str | None = None, path: str | None = None) -> dict:
    """Checks the status, the code and, with `path`, a detail with that path; returns the error."""
    where = f"{sent(response.request)} gave {response.status_code} {response.text[:1500]}"
    assert response.status_code == status, f"expected {status}: {where}"
    error = response.json()["error"]
    if code is not None:
        assert error["code"] == code, f"expected {code}: {where}"
    if path is not None:
        assert path in [detail["path"] for detail in error.get("details", [])], f"expected a detail at {path}: {where}"
    return error


class PlatformUser(Api):
    """A developer who is signed in to the control plane."""

    def __init__(self, server: Server, email: str | None = None, name: str | None = None):
        super().__init__(server)
        self.email = email or f"{unique('dev')}@example.com"
        body = {"email": self.email, "password": PASSWORD, **server.setup_code()}
        if name is not None:
            body["name"] = name
        self.user = ok(self.post("/control/auth/register", body), 201)["user"]
        self.id = self.user["id"]
        self.login()

    def login(self) -> dict:
        self.tokens = ok(self.post("/control/auth/login", {"email": self.email, "password": PASSWORD}, token=None))
        self.token = self.tokens["accessToken"]
        return self.tokens

    def create_project(self, name: str | None = None) -> "Project":
        return Project(self, ok(self.post("/control/projects", {"name": name or unique("Project ")}), 201)["project"])

    def exchange(self, project_id: str) -> Api:
        """Returns a project token for a project of which this user is a member."""
        token = ok(self.post(f"/control/projects/{project_id}/token"))["token"]
        return Api(self.server, token)


class EndUser(Api):
    """An end user of a project who is signed in."""

    def __init__(self, project: "Project", role: str | None = None, email: str | None = None):
        super().__init__(project.server)
        self.project_id = project.id
        self.email = email or f"{unique('user')}@example.com"
        body = {"email": self.email, "password": PASSWORD}
        self.user = ok(self.post("/auth/register", body, project=project.id), 201)["user"]
        self.id = self.user["id"]
        if role is not None:
            ok(project.admin.patch(f"/admin/users/{self.id}", {"metadata": {"role": role}}), 204)
        self.login()

    def login(self) -> dict:
        body = {"email": self.email, "password": PASSWORD}
        self.tokens = ok(self.post("/auth/login", body, project=self.project_id, token=None))
        self.token = self.tokens["accessToken"]
        return self.tokens


OPEN_POLICY = {operation: {} for operation in ("read", "list", "create", "update", "delete")}


class Project:
    """A project with its owner's project token in `admin`, and functions that create what a test needs in it."""

    def __init__(self, owner: PlatformUser, wire: dict):
        self.server = owner.server
        self.owner = owner
        self.wire = wire
        self.id = wire["id"]
        self.slug = wire["slug"]
        self.admin = owner.exchange(self.id)

    def public(self) -> Api:
        """A client without a token that names this project."""
        return Api(self.server, project=self.id)

    def end_user(self, role: str | None = None) -> EndUser:
        return EndUser(self, role)

    def member(self, role: str, user: PlatformUser | None = None) -> Api:
        """Returns the project token of another platform user, who becomes a member with `role`."""
        user = user or PlatformUser(self.server)
        ok(self.owner.post(f"/control/projects/{self.id}/members", {"email": user.email, "role": role}), 201)
        api = user.exchange(self.id)
        api.user = user
        return api

    def api_key(self, *scopes: str) -> Api:
        made = ok(self.admin.post("/admin/api-keys", {"name": unique("key"), "scopes": list(scopes)}), 201)
        api = Api(self.server, made["key"])
        api.id = made["apiKey"]["id"]
        return api

    def role(self, *permissions: str, name: str | None = None) -> str:
        """Creates a custom member role."""
        name = name or unique("role")
        ok(self.admin.post("/admin/roles", {"name": name, "permissions": list(permissions)}), 201)
        return name

    def enduser_role(self, *permissions: str, name: str | None = None) -> str:
        name = name or unique("role")
        ok(self.admin.post("/admin/enduser-roles", {"name": name, "permissions": list(permissions)}), 201)
        return name

    def collection(self, name: str | None = None, policy=OPEN_POLICY, schema=None, indexes=()) -> str:
        name = name or unique("c")
        response = self.admin.post("/admin/collections", {"name": name})
        assert ok(response, 201) is None
        if schema is not None:
            ok(self.admin.put(f"/admin/collections/{name}/schema", schema), 204)
        if policy is not None:
            ok(self.admin.put(f"/admin/collections/{name}/policy", policy), 204)
        for index in indexes:
            ok(self.admin.post(f"/admin/collections/{name}/indexes", index), 201)
        return name

    def fill(self, collection: str, count: int, document: Callable[[int], dict]) -> None:
        """Creates documents, from several threads."""

        def add(number: int) -> None:
            for at in range(number, count, 8):
                ok(self.admin.post(f"/admin/collections/{collection}/documents", document(at)), 201)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(add, range(8)))
