"""Every route as data: plane, permission, and the fields of its body. Tests of permissions, of authentication and of
bad input iterate over this table."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Field:
    """A field of a body: kind is the type that it accepts (string, bool, int, object, array, any)."""

    kind: str
    required: bool = False


@dataclass(frozen=True)
class Route:
    method: str
    path: str  # {collection}, {doc}, ... are filled from a World
    plane: str  # public, enduser, control, admin, data
    permission: str = ""  # {collection} as above
    scope: str = ""  # of an API key, on the data plane
    body: dict | None = field(default=None, hash=False)  # name -> Field; None: no body
    document: bool = False  # the body is any object
    largest: int = 1 << 20  # maximum bytes of a body

    def __str__(self):
        return f"{self.method} {self.path}"


def required(kind: str) -> Field:
    return Field(kind, True)


_REGISTER = {"email": required("string"), "password": required("string"), "name": Field("string")}
_LOGIN = {"email": required("string"), "password": required("string")}
_REFRESH = {"refreshToken": required("string")}
_ROLE = {"name": required("string"), "permissions": required("array")}
_C = "/admin/collections/{collection}"

PUBLIC = [
    Route("GET", "/health", "public"),
    Route("GET", "/ready", "public"),
    Route("GET", "/jwks.json", "public"),
    Route("GET", "/openapi.json", "public"),
    Route("GET", "/control/setup-status", "public"),
    Route("POST", "/auth/register", "public", body=_REGISTER),
    Route("POST", "/auth/login", "public", body=_LOGIN),
    Route("POST", "/auth/refresh", "public", body=_REFRESH),
    Route("POST", "/auth/logout", "public", body=_REFRESH),
    Route("POST", "/control/auth/register", "public", body={**_REGISTER, "setupCode": Field("string")}),
    Route("POST", "/control/auth/login", "public", body=_LOGIN),
    Route("POST", "/control/auth/refresh", "public", body=_REFRESH),
    Route("POST", "/control/auth/logout", "public", body=_REFRESH),
    *(
        Route("POST", plane + path, "public", body=body)
        for plane in ("/auth", "/control/auth")
        for path, body in (
            ("/mfa/verify", {"mfaToken": required("string"), "code": required("string")}),
            ("/verify-email/request", {"email": required("string")}),
            ("/verify-email", {"token": required("string")}),
            ("/password-reset/request", {"email": required("string")}),
            ("/password-reset", {"token": required("string"), "password": required("string")}),
        )
    ),
]

END_USER = [
    Route("GET", "/auth/sessions", "enduser"),
    Route("DELETE", "/auth/sessions/{session}", "enduser"),
    Route("POST", "/auth/mfa/totp/activate", "enduser", body={"code": required("string")}),
    Route("POST", "/auth/mfa/totp/disable", "enduser", body={"code": required("string")}),
    Route("GET", "/auth/identities", "enduser"),
]

CONTROL = [
    Route("GET", "/control/me", "control"),
    Route("GET", "/control/auth/sessions", "control"),
    Route("DELETE", "/control/auth/sessions/{session}", "control"),
    Route("POST", "/control/auth/mfa/totp/activate", "control", body={"code": required("string")}),
    Route("POST", "/control/auth/mfa/totp/disable", "control", body={"code": required("string")}),
    Route("GET", "/control/auth/identities", "control"),
    Route("GET", "/control/projects", "control"),
    Route("POST", "/control/projects", "control", body={"name": required("string"), "mongoUrl": Field("string")}),
    Route("GET", "/control/projects/{project}", "control"),
    Route(
        "PATCH",
        "/control/projects/{project}",
        "control",
        body={
            "name": Field("string"),
            "maxFileSize": Field("int"),
            "color": Field("string"),
            "icon": Field("string"),
            "settings": Field("object"),
        },
    ),
    Route("DELETE", "/control/projects/{project}", "control"),
    Route("POST", "/control/projects/{project}/suspend", "control"),
    Route("POST", "/control/projects/{project}/resume", "control"),
    Route("POST", "/control/projects/{project}/token", "control"),
    Route("GET", "/control/projects/{project}/members", "control"),
    Route(
        "POST",
        "/control/projects/{project}/members",
        "control",
        body={"email": required("string"), "role": required("string")},
    ),
    Route(
        "POST",
        "/control/projects/{project}/environments",
        "control",
        body={"environment": required("string"), "color": Field("string")},
    ),
    Route(
        "POST",
        "/control/environments/promote",
        "control",
        body={"fromProjectId": required("string"), "toProjectId": required("string")},
    ),
    Route("GET", "/control/connections", "control"),
    Route("GET", "/control/connections/kinds", "control"),
    Route("GET", "/control/projects/{project}/connections", "control"),
    *(
        Route(
            "POST",
            path,
            "control",
            body={
                "kind": required("string"),
                "name": required("string"),
                "config": Field("object"),
                "secrets": Field("object"),
            },
        )
        for path in ("/control/connections", "/control/projects/{project}/connections")
    ),
    Route("PATCH", "/control/projects/{project}/members/{member}", "control", body={"role": required("string")}),
    Route("DELETE", "/control/projects/{project}/members/{member}", "control"),
]

ADMIN = [
    Route("GET", "/projects/{project}/openapi.json", "admin", "collections:read"),
    Route("GET", "/admin/metrics", "admin", "ops:read"),
    Route("GET", "/admin/usage", "admin", "ops:read"),
    Route("GET", "/admin/collections", "admin", "collections:read"),
    Route("POST", "/admin/collections", "admin", "collections:manage", body={"name": required("string")}),
    Route("DELETE", _C, "admin", "collections:manage"),
    Route("POST", f"{_C}/rename", "admin", "collections:manage", body={"to": required("string")}),
    Route("GET", f"{_C}/schema", "admin", "collections:read"),
    Route("PUT", f"{_C}/schema", "admin", "collections:manage", document=True),
    Route("DELETE", f"{_C}/schema", "admin", "collections:manage"),
    Route("GET", f"{_C}/policy", "admin", "policies:read"),
    Route("PUT", f"{_C}/policy", "admin", "policies:manage", document=True),
    Route("DELETE", f"{_C}/policy", "admin", "policies:manage"),
    Route("GET", f"{_C}/indexes", "admin", "collections:read"),
    Route(
        "POST",
        f"{_C}/indexes",
        "admin",
        "collections:manage",
        body={
            "keys": required("object"),
            "name": Field("string"),
            "unique": Field("bool"),
            "sparse": Field("bool"),
            "partialFilter": Field("object"),
            "expireAfterSeconds": Field("int"),
            "covering": Field("bool"),
            "include": Field("array"),
        },
    ),
    Route("DELETE", f"{_C}/indexes/{{index}}", "admin", "collections:manage"),
    Route("GET", "/admin/vector-configs", "admin", "collections:read"),
    Route("GET", f"{_C}/vector-config", "admin", "collections:read"),
    Route("PUT", f"{_C}/vector-config", "admin", "collections:manage", body={"fields": required("array")}),
    Route("DELETE", f"{_C}/vector-config", "admin", "collections:manage"),
    Route("GET", f"{_C}/documents", "admin", "data:{collection}:list"),
    Route("POST", f"{_C}/documents", "admin", "data:{collection}:create", document=True),
    Route("GET", f"{_C}/documents/{{doc}}", "admin", "data:{collection}:read"),
    Route("PATCH", f"{_C}/documents/{{doc}}", "admin", "data:{collection}:update", document=True),
    Route("PUT", f"{_C}/documents/{{doc}}", "admin", "data:{collection}:update", document=True),
    Route("DELETE", f"{_C}/documents/{{doc}}", "admin", "data:{collection}:delete"),
    Route("GET", "/admin/roles", "admin", "roles:read"),
    Route("POST", "/admin/roles", "admin", "roles:manage", body=_ROLE),
    Route("GET", "/admin/roles/{role}", "admin", "roles:read"),
    Route("PUT", "/admin/roles/{role}", "admin", "roles:manage", body={"permissions": required("array")}),
    Route("DELETE", "/admin/roles/{role}", "admin", "roles:manage"),
    Route("GET", "/admin/enduser-roles", "admin", "roles:read"),
    Route("POST", "/admin/enduser-roles", "admin", "roles:manage", body=_ROLE),
    Route("GET", "/admin/enduser-roles/{enduser_role}", "admin", "roles:read"),
    Route(
        "PUT", "/admin/enduser-roles/{enduser_role}", "admin", "roles:manage", body={"permissions": required("array")}
    ),
    Route("DELETE", "/admin/enduser-roles/{enduser_role}", "admin", "roles:manage"),
    Route("GET", "/admin/auth/oauth", "admin", "auth:config:read"),
    Route(
        "PUT",
        "/admin/auth/oauth/providers/google",
        "admin",
        "auth:config:write",
        body={"clientId": required("string"), "enabled": required("bool"), "clientSecret": Field("string")},
    ),
    Route(
        "PUT", "/admin/auth/oauth/redirects", "admin", "auth:config:write", body={"allowedRedirects": required("array")}
    ),
    Route("GET", "/admin/webhooks", "admin", "webhooks:read"),
    Route(
        "POST",
        "/admin/webhooks",
        "admin",
        "webhooks:manage",
        body={
            "name": required("string"),
            "collection": required("string"),
            "events": required("array"),
            "url": required("string"),
            "headers": Field("object"),
            "enabled": Field("bool"),
            "fields": Field("array"),
        },
    ),
    Route("GET", "/admin/webhooks/{webhook}", "admin", "webhooks:read"),
    Route(
        "PATCH",
        "/admin/webhooks/{webhook}",
        "admin",
        "webhooks:manage",
        body={
            "collection": Field("string"),
            "events": Field("array"),
            "url": Field("string"),
            "headers": Field("object"),
            "enabled": Field("bool"),
            "fields": Field("array"),
        },
    ),
    Route("DELETE", "/admin/webhooks/{webhook}", "admin", "webhooks:manage"),
    Route("GET", "/admin/webhooks/{webhook}/deliveries", "admin", "webhooks:read"),
    Route("POST", "/admin/webhooks/{webhook}/rotate-secret", "admin", "webhooks:manage"),
    Route("POST", "/admin/webhooks/{webhook}/test", "admin", "webhooks:manage"),
    Route("POST", "/admin/webhooks/{webhook}/deliveries/{delivery}/redeliver", "admin", "webhooks:manage"),
    Route("GET", "/admin/storage/buckets", "admin", "storage:read"),
    Route(
        "POST",
        "/admin/storage/buckets",
        "admin",
        "storage:manage",
        body={"name": required("string"), "access": Field("string")},
    ),
    Route("PATCH", "/admin/storage/buckets/{bucket}", "admin", "storage:manage", body={"access": required("string")}),
    Route("DELETE", "/admin/storage/buckets/{bucket}", "admin", "storage:manage"),
    Route("GET", "/admin/integrations", "admin", "integrations:read"),
    Route(
        "POST",
        "/admin/integrations",
        "admin",
        "integrations:manage",
        body={
            "name": required("string"),
            "provider": required("string"),
            "config": Field("object"),
            "secrets": Field("object"),
            "enabled": Field("bool"),
        },
    ),
    Route("GET", "/admin/integrations/providers", "admin", "integrations:read"),
    Route("GET", "/admin/integrations/{integration}", "admin", "integrations:read"),
    Route(
        "PATCH",
        "/admin/integrations/{integration}",
        "admin",
        "integrations:manage",
        body={"config": Field("object"), "secrets": Field("object"), "enabled": Field("bool")},
    ),
    Route("DELETE", "/admin/integrations/{integration}", "admin", "integrations:manage"),
    Route(
        "POST",
        "/admin/integrations/{integration}/test",
        "admin",
        "integrations:manage",
        body={"op": required("string"), "args": Field("object"), "mode": Field("string")},
    ),
    Route(
        "PATCH",
        "/admin/integrations/{integration}/tests",
        "admin",
        "integrations:manage",
        body={"tests": required("array")},
    ),
    Route("POST", "/admin/integrations/{integration}/tests/run", "admin", "integrations:manage"),
    Route("GET", "/admin/functions", "admin", "functions:read"),
    Route(
        "POST",
        "/admin/functions",
        "admin",
        "functions:manage",
        body={
            "name": required("string"),
            "trigger": required("object"),
            "timing": Field("string"),
            "enabled": Field("bool"),
            "timeoutMs": Field("int"),
            "code": Field("string"),
            "flow": Field("object"),
            "tests": Field("array"),
        },
    ),
    Route("GET", "/admin/functions/{function}", "admin", "functions:read"),
    Route(
        "PATCH",
        "/admin/functions/{function}",
        "admin",
        "functions:manage",
        body={
            "trigger": Field("object"),
            "timing": Field("string"),
            "enabled": Field("bool"),
            "timeoutMs": Field("int"),
            "code": Field("string"),
            "flow": Field("object"),
            "tests": Field("array"),
        },
    ),
    Route("DELETE", "/admin/functions/{function}", "admin", "functions:manage"),
    Route("GET", "/admin/functions/{function}/versions", "admin", "functions:read"),
    Route("GET", "/admin/functions/{function}/versions/{version}", "admin", "functions:read"),
    Route(
        "POST",
        "/admin/functions/{function}/rollback",
        "admin",
        "functions:manage",
        body={"version": required("int")},
    ),
    Route("GET", "/admin/functions/stats", "admin", "functions:read"),
    Route("GET", "/admin/functions/{function}/logs", "admin", "functions:read"),
    Route("POST", "/admin/functions/{function}/tests/run", "admin", "functions:manage"),
    Route("GET", "/admin/audit", "admin", "audit:read"),
    Route("GET", "/admin/config-export", "admin", "config:manage"),
    Route(
        "POST",
        "/admin/config-import",
        "admin",
        "config:manage",
        body={
            "formatVersion": required("int"),
            "project": Field("object"),
            "collections": Field("array"),
            "roles": Field("array"),
            "enduserRoles": Field("array"),
            "functions": Field("array"),
            "integrations": Field("array"),
            "webhooks": Field("array"),
            "vectors": Field("array"),
            "oauth": Field("object"),
        },
        largest=16 << 20,
    ),
    Route("GET", "/admin/users", "admin", "users:read"),
    Route(
        "POST",
        "/admin/users",
        "admin",
        "users:manage",
        body={
            "email": required("string"),
            "password": required("string"),
            "name": Field("string"),
            "emailVerified": Field("bool"),
        },
    ),
    Route("GET", "/admin/users/{user}", "admin", "users:read"),
    Route(
        "PATCH",
        "/admin/users/{user}",
        "admin",
        "users:manage",
        body={
            "email": Field("string"),
            "name": Field("string"),
            "emailVerified": Field("bool"),
            "metadata": Field("object"),
        },
    ),
    Route("POST", "/admin/users/{user}/activate", "admin", "users:manage"),
    Route("POST", "/admin/users/{user}/deactivate", "admin", "users:manage"),
    Route("POST", "/admin/users/{user}/block", "admin", "users:manage"),
    Route("GET", "/admin/api-keys", "admin", "keys:read"),
    Route(
        "POST",
        "/admin/api-keys",
        "admin",
        "keys:manage",
        body={"name": required("string"), "scopes": required("array")},
    ),
    Route("DELETE", "/admin/api-keys/{key}", "admin", "keys:manage"),
    Route("POST", "/admin/api-keys/{key}/rotate", "admin", "keys:manage"),
]

DATA = [
    Route("GET", "/{collection}", "data", "data:{collection}:list", "read"),
    Route("POST", "/{collection}", "data", "data:{collection}:create", "write", document=True),
    Route("GET", "/{collection}/{doc}", "data", "data:{collection}:read", "read"),
    Route("PATCH", "/{collection}/{doc}", "data", "data:{collection}:update", "write", document=True),
    Route("PUT", "/{collection}/{doc}", "data", "data:{collection}:update", "write", document=True),
    Route("DELETE", "/{collection}/{doc}", "data", "data:{collection}:delete", "write"),
    Route(
        "POST",
        "/{collection}/search",
        "data",
        "data:{collection}:read",
        "read",
        body={"text": Field("string"), "field": Field("string"), "fields": Field("array")},
    ),
]

ALL = PUBLIC + END_USER + CONTROL + ADMIN + DATA
SCOPES = {
    "read": ["data:*:read", "data:*:list"],
    "write": ["data:*:create", "data:*:update", "data:*:delete"],
    "admin": ["*"],
    "storage": ["storage:read", "storage:write"],
    "functions": ["functions:invoke"],
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
