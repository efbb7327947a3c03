"""The routes of the API, from the server's OpenAPI document: plane, permission, and the fields of the body. Tests of
permissions, of authentication and of bad input iterate over them."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from support.described import Described
from support.server import Server

API = "/api/v1"


@dataclass(frozen=True)
class Field:
    """A field of a body: kind is the type that it accepts (string, bool, int, number, object, array, any)."""

    kind: str
    required: bool = False


@dataclass(frozen=True)
class Route:
    method: str
    path: str  # below API; {collection}, {doc}, ... name what a parameter stands for
    plane: str  # public, enduser, control, operator, admin, data
    permission: str = ""  # {collection} as above
    scope: str = ""  # of an API key, on the admin and the data plane
    body: dict | None = field(default=None, hash=False)  # name -> Field; None: no body, or any object
    document: bool = False  # the body is any object
    schema: dict | None = field(default=None, hash=False)  # of the body
    largest: int = 1 << 20  # maximum bytes of a body

    def __str__(self):
        return f"{self.method} {self.path}"

    @property
    def parameters(self) -> list[str]:
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]


# What a parameter stands for, by the segment before it.
PARAMETERS = {
    "": "collection",
    "api-keys": "key",
    "buckets": "bucket",
    "collections": "collection",
    "connections": "connection",
    "dead": "job",
    "deliveries": "delivery",
    "documents": "doc",
    "enduser-roles": "enduser_role",
    "functions": "function",
    "identities": "identity",
    "indexes": "index",
    "integrations": "integration",
    "jobs": "job",
    "members": "member",
    "operators": "address",
    "pending": "address",
    "projects": "project",
    "providers": "provider",
    "roles": "role",
    "runs": "run",
    "sessions": "session",
    "sets": "policy_set",
    "users": "user",
    "variables": "variable",
    "versions": "version",
    "webhooks": "webhook",
    "{collection}": "doc",
}

# Routes whose responses follow other rules, and where they are tested.
OTHERS = {
    "/graphql": "errors are part of a 200: tests/graphql",
    "/realtime": "a WebSocket: tests/realtime",
    "/run/": "a function responds: tests/functions",
    "/storage/": "bodies are bytes: tests/storage",
    "/auth/oauth/": "redirects of a browser: tests/oauth",
    "/control/auth/oauth/": "redirects of a browser: tests/oauth",
}

# The policy engine checks these, not the route: the document does not hold them.
DATA_PERMISSIONS = {
    "GET /{collection}": "list",
    "POST /{collection}": "create",
    "GET /{collection}/{doc}": "read",
    "PATCH /{collection}/{doc}": "update",
    "PUT /{collection}/{doc}": "update",
    "DELETE /{collection}/{doc}": "delete",
    "POST /{collection}/search": "read",
    "POST /{collection}/query": "list",
    "POST /{collection}/count": "list",
}

# The body is read field by field after its schema's check, of which the document holds the outline.
CONFIGURATION = {
    "formatVersion": Field("int", True),
    "project": Field("object"),
    "variables": Field("array"),
    "collections": Field("array"),
    "policySets": Field("array"),
    "roles": Field("array"),
    "enduserRoles": Field("array"),
    "functions": Field("array"),
    "integrations": Field("array"),
    "webhooks": Field("array"),
    "vectors": Field("array"),
    "oauth": Field("object"),
    "settings": Field("object"),
}


def _document() -> Described:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder)).start()
        try:
            return Described(server.http.get(API + "/openapi.json").json())
        finally:
            server.stop()


def _named(path: str) -> str:
    """Returns a path of the document with its parameters named by what they stand for."""
    parts = path.split("/")
    for at, part in enumerate(parts):
        if part.startswith("{"):
            parts[at] = "{" + PARAMETERS.get(parts[at - 1], part[1:-1]) + "}"
    return "/".join(parts)


def _plane(security: list[dict]) -> str:
    schemes = {name for each in security for name in each}
    # Public rules serve some requests without a token on the data plane.
    if not schemes or ({} in security and schemes != {"apiKey", "endUser", "member"}):
        return "public"
    planes = {
        ("endUser",): "enduser",
        ("control",): "control",
        ("operator",): "operator",
        ("apiKey", "member"): "admin",
        ("apiKey", "endUser", "member"): "data",
    }
    return planes[tuple(sorted(schemes))]


def _kind(schema: dict) -> str:
    """Returns the kind of a field's schema; null is no kind of its own."""
    choices = [DOCUMENT.resolved(choice) for choice in schema.get("anyOf", [schema])]
    types = {choice.get("type") for choice in choices} - {"null"}
    kinds = {"boolean": "bool", "integer": "int"}
    only = types.pop() if len(types) == 1 else None
    return kinds.get(only, only or "any")


def _route(method: str, path: str, operation: dict) -> Route:
    name = f"{method} {path}"
    security = operation.get("security", [])
    roles = {scheme: roles[0] for each in security for scheme, roles in each.items() if roles}
    plane = _plane(security)
    permission = _named_permission(roles.get("member", ""))
    if plane == "data":
        permission = f"data:{{collection}}:{DATA_PERMISSIONS[name]}"
    body, schema, largest = None, None, 1 << 20
    required = operation.get("requestBody", {}).get("required", False)
    if required:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        whole = DOCUMENT.resolved(schema)
        if whole.get("additionalProperties") is False:
            needed = whole.get("required", [])
            body = {field: Field(_kind(each), field in needed) for field, each in whole["properties"].items()}
    if name == "POST /admin/config-import":
        body, largest = CONFIGURATION, 16 << 20
    return Route(
        method,
        path,
        plane,
        permission,
        roles.get("apiKey", ""),
        body,
        document=required and body is None,
        schema=schema,
        largest=largest,
    )


def _named_permission(permission: str) -> str:
    """A permission that names a parameter names a collection."""
    head, brace, tail = permission.partition("{")
    return head + "{collection}" + tail.partition("}")[2] if brace else permission


DOCUMENT = _document()
ALL = [
    _route(method, _named(path.removeprefix(API)), operation)
    for method, path, operation in DOCUMENT.operations()
    if path.startswith(API + "/") and not path.removeprefix(API).startswith(tuple(OTHERS))
]
PUBLIC, END_USER, CONTROL, OPERATOR, ADMIN, DATA = (
    [route for route in ALL if route.plane == plane]
    for plane in ("public", "enduser", "control", "operator", "admin", "data")
)
SCOPES = {
    "read": ["data:*:read", "data:*:list"],
    "write": ["data:*:create", "data:*:update", "data:*:delete"],
    "admin": ["*"],
    "storage": ["storage:read", "storage:write"],
    "functions": ["functions:invoke"],
    "service": ["data:*", "storage:*", "functions:invoke"],
}
BUILT_IN = {
    "Owner": ["*"],
    "Admin": ["*"],
    "Editor": ["data:*", "storage:*", "functions:invoke", "functions:manage", "collections:manage", "policies:read"],
    # Reads all configuration; "*:read" alone would leave out the one permission with three segments.
    "Viewer": ["data:*:read", "data:*:list", "storage:read", "*:read", "auth:config:read"],
}
END_USER_ROLE = [
    "data:*:read",
    "data:*:list",
    "data:*:create",
    "data:*:update",
    "data:*:delete",
    "storage:read",
    "storage:write",
    "functions:invoke",
]


def path_of(route, collection):
    """Returns the route with names of resources that do not exist, so that an allowed call changes nothing."""
    return route.path.format(
        collection=collection,
        project="missing",
        doc="missing",
        role="Missing",
        enduser_role="Missing",
        user="user_00000000000000000000",
        key="key_00000000000000000000",
        index="missing",
        session="sess_00000000000000000000",
        webhook="Missing",
        integration="Missing",
        bucket="Missing",
        function="missing",
        version="1",
        delivery="dlv_00000000000000000000",
        provider="missing",
        policy_set="missing",
        job="job_00000000000000000000",
        variable="MISSING",
        run="run_00000000000000000000",
    )


def harmless(route):
    """Returns a body that is refused after the permission check."""
    if route.document:
        return {"json": {"type": 5}} if route.path.endswith("schema") else {"json": {"$nonsense": 1}}
    return {} if route.body is None else {"json": {"no such field": 1}}


def allows(held: list[str], needed: str) -> bool:
    """Returns whether a set of permissions includes the needed one: wildcards by segment, manage includes read."""
    wanted = [needed]
    if needed.endswith(":read") and not needed.startswith("data:"):
        wanted.append(needed.removesuffix("read") + "manage")
    return any(_matches(one.split(":"), want.split(":")) for one in held for want in wanted)


def _matches(pattern: list[str], needed: list[str]) -> bool:
    for position, segment in enumerate(pattern):
        if segment == "*" and position == len(pattern) - 1:
            return len(needed) > position
        if position >= len(needed) or segment not in ("*", needed[position]):
            return False
    return len(pattern) == len(needed)
