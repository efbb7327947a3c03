"""The control plane: platform users and projects."""

import concurrent.futures
import re

import jwt
import pytest

from support.client import PASSWORD, Api, PlatformUser, ok, refused, unique

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
PROJECT_FIELDS = {
    "id",
    "slug",
    "name",
    "status",
    "role",
    "organizationId",
    "parentId",
    "environment",
    "color",
    "icon",
    "maxFileSize",
    "byo",
    "createdAt",
}
USER_FIELDS = {
    "id",
    "email",
    "name",
    "emailVerified",
    "metadata",
    "status",
    "mfaEnabled",
    "createdAt",
    "updatedAt",
    "platformRole",
    "plan",
}


def id_of(kind: str):
    return re.compile(rf"^{kind}_[0-9A-Za-z]{{20}}$")


# ---- the first user


def test_first_run(make_server):
    nobody = Api(make_server().start())
    status = ok(nobody.get("/control/setup-status"))
    assert set(status) == {
        "needsSetup",
        "setupCodeRequired",
        "registrationOpen",
        "operatorsEnabled",
        "billingEnabled",
        "storageEnabled",
        "connectionsEnabled",
        "byoEnabled",
        "oauthProviders",
    }
    assert status["needsSetup"] is True and status["registrationOpen"] is True
    assert status["billingEnabled"] is False and status["storageEnabled"] is True
    assert status["connectionsEnabled"] is True and status["oauthProviders"] == []
    first = PlatformUser(nobody.server)
    assert ok(nobody.get("/control/setup-status"))["needsSetup"] is False
    assert first.user["platformRole"] == "super-admin"
    assert PlatformUser(nobody.server).user["platformRole"] == "user"


def test_of_concurrent_first_registrations_one_becomes_super_admin(make_server):
    server = make_server().start()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        users = list(pool.map(lambda _: PlatformUser(server), range(8)))
    roles = [ok(user.get("/control/me"))["user"]["platformRole"] for user in users]
    assert sorted(roles) == ["super-admin"] + ["user"] * 7


def test_only_invited_addresses_register(make_server):
    settings = {"SERVICE_CONTROL_REGISTRATION": "invited", "SERVICE_OPERATORS": "named@example.com"}
    server = make_server(settings).start()
    nobody = Api(server)
    assert ok(nobody.get("/control/setup-status"))["registrationOpen"] is True
    owner = PlatformUser(server)
    assert ok(nobody.get("/control/setup-status"))["registrationOpen"] is False

    def refused_registration(email) -> str:
        body = {"email": email, "password": PASSWORD}
        return refused(nobody.post("/control/auth/register", body), 403, "FORBIDDEN")["message"]

    # The same message for an address with an account and one without.
    assert refused_registration("stranger@example.com") == refused_registration(owner.email)
    project = owner.create_project()
    guest = f"{unique('guest')}@example.com"
    row = ok(owner.post(f"/control/projects/{project.id}/members", {"email": guest, "role": "Viewer"}), 201)
    assert row["member"]["status"] == "pending"
    assert len(ok(PlatformUser(server, guest).get("/control/me"))["memberships"]) == 1
    refused_registration(guest)
    boss = f"{unique('boss')}@example.com"
    ok(owner.post("/control/admin/operators", {"email": boss}), 201)
    for email in (boss, "named@example.com"):
        assert PlatformUser(server, email).user["platformRole"] == "super-admin"
    # End users of projects can register.
    project.end_user()


def test_of_concurrent_first_registrations_of_uninvited_addresses_one_wins(make_server):
    server = make_server({"SERVICE_CONTROL_REGISTRATION": "invited"}).start()
    code = server.setup_code()
    bodies = [{"email": f"{unique('race')}@example.com", "password": PASSWORD, **code} for _ in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda body: Api(server).post("/control/auth/register", body).status_code, bodies))
    assert sorted(answers) == [201] + [403] * 7


# ---- registration, login, refresh, logout


def test_register_answer(server, owner):
    email = f"{unique('Mixed')}@Example.com"
    user = ok(
        Api(server).post("/control/auth/register", {"email": f"  {email} ", "password": PASSWORD, "name": "N"}), 201
    )["user"]
    assert set(user) == USER_FIELDS
    assert id_of("user").match(user["id"])
    assert user["email"].lower() == email.lower() and user["name"] == "N"
    assert user["emailVerified"] is False and user["mfaEnabled"] is False and user["status"] == "active"
    assert user["plan"] == "free"
    assert TIME.match(user["createdAt"]) and TIME.match(user["updatedAt"])


def test_register_taken_address(server, owner):
    nobody = Api(server)
    for email in (owner.email, owner.email.upper(), f" {owner.email} "):
        refused(nobody.post("/control/auth/register", {"email": email, "password": PASSWORD}), 409, "EMAIL_TAKEN")


def test_of_concurrent_registrations_of_one_address_one_wins(server, owner):
    email = f"{unique('race')}@example.com"
    body = {"email": email, "password": PASSWORD}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: Api(server).post("/control/auth/register", body).status_code, range(8)))
    assert sorted(answers) == [201] + [409] * 7


@pytest.mark.parametrize(
    "email", ["", "x", "x@", "@y", "a b@c.example", "x@y@z", "x" * 300 + "@y.example", "a\nb@c.example"]
)
def test_register_bad_address(server, email):
    refused(
        Api(server).post("/control/auth/register", {"email": email, "password": PASSWORD}), 400, "VALIDATION", "/email"
    )


@pytest.mark.parametrize("password", ["", "1234567", "x" * 257])
def test_register_bad_password(server, password):
    body = {"email": f"{unique()}@example.com", "password": password}
    refused(Api(server).post("/control/auth/register", body), 400, "VALIDATION", "/password")


def test_register_password_equal_to_the_address(server):
    email = f"{unique()}@example.com"
    refused(
        Api(server).post("/control/auth/register", {"email": email, "password": email}), 400, "VALIDATION", "/password"
    )


def test_passwords_of_any_text(server, owner):
    for password in ("x" * 256, "        ", "пароль-🔑-パスワード", 'quote"back\\slash'):
        email = f"{unique()}@example.com"
        ok(Api(server).post("/control/auth/register", {"email": email, "password": password}), 201)
        ok(Api(server).post("/control/auth/login", {"email": email, "password": password}))
        refused(Api(server).post("/control/auth/login", {"email": email, "password": password[:-1]}), 401)


def test_login_answer(server, owner):
    body = ok(Api(server).post("/control/auth/login", {"email": owner.email.upper(), "password": PASSWORD}))
    assert set(body) == {"accessToken", "refreshToken", "expiresIn", "user"}
    assert body["expiresIn"] == 900
    assert body["user"]["id"] == owner.id and set(body["user"]) == USER_FIELDS
    claims = jwt.decode(body["accessToken"], options={"verify_signature": False})
    assert claims["aud"] == "control" and claims["sub"] == owner.id and claims["sid"].startswith("sess_")
    assert claims["exp"] - claims["iat"] == 900 and claims["iss"] == server.url
    assert "pid" not in claims and "perms" not in claims


def test_login_does_not_show_who_is_registered(server, owner):
    wrong = refused(
        Api(server).post("/control/auth/login", {"email": owner.email, "password": "wrong-password"}),
        401,
        "INVALID_CREDENTIALS",
    )
    unknown = refused(
        Api(server).post("/control/auth/login", {"email": "nobody@example.com", "password": PASSWORD}),
        401,
        "INVALID_CREDENTIALS",
    )
    assert wrong == unknown


def test_refresh_and_logout(server, owner):
    user = PlatformUser(server)
    nobody = Api(server)
    body = ok(nobody.post("/control/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}))
    assert set(body) == {"accessToken", "expiresIn"} and body["expiresIn"] == 900
    ok(Api(server, body["accessToken"]).get("/control/me"))
    ok(nobody.post("/control/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}))
    ok(nobody.post("/control/auth/logout", {"refreshToken": user.tokens["refreshToken"]}), 204)
    refused(nobody.post("/control/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}), 401)
    refused(user.get("/control/me"), 401, "UNAUTHENTICATED")
    refused(Api(server, body["accessToken"]).get("/control/me"), 401, "UNAUTHENTICATED")


def test_logout_of_nothing(server):
    assert Api(server).post("/control/auth/logout", {"refreshToken": "nonsense"}).status_code in (204, 401)


def test_sessions(server):
    user = PlatformUser(server)
    other_device = user.tokens
    user.login()
    sessions = ok(user.get("/control/auth/sessions"))["sessions"]
    assert len(sessions) == 2
    for session in sessions:
        assert set(session) == {"id", "createdAt", "lastUsedAt", "expiresAt", "userAgent", "ip", "current"}
        assert id_of("sess").match(session["id"])
    assert sorted(session["current"] for session in sessions) == [False, True]
    stranger = PlatformUser(server)
    other = next(session["id"] for session in sessions if not session["current"])
    refused(stranger.delete(f"/control/auth/sessions/{other}"), 404)
    ok(user.delete(f"/control/auth/sessions/{other}"), 204)
    refused(Api(server, other_device["accessToken"]).get("/control/me"), 401)
    refused(user.delete(f"/control/auth/sessions/{other}"), 404)
    assert len(ok(user.get("/control/auth/sessions"))["sessions"]) == 1


def test_me(owner, project):
    body = ok(owner.get("/control/me"))
    assert set(body) == {"user", "organizations", "memberships"}
    assert set(body["user"]) == USER_FIELDS
    (organization,) = body["organizations"]
    assert set(organization) == {"id", "name", "personal"} and organization["personal"] is True
    assert id_of("org").match(organization["id"])
    (membership,) = [item for item in body["memberships"] if item["projectId"] == project.id]
    assert set(membership) == {"id", "projectId", "projectName", "role"}
    assert id_of("mem").match(membership["id"]) and membership["role"] == "Owner"
    assert membership["projectName"] == project.wire["name"]


def test_the_switch_of_mails_about_limits_without_billing(server, owner):
    user = PlatformUser(server)
    for value in (False, True):
        ok(user.patch("/control/me", {"notifyLimits": value}), 204)
        assert ok(user.get("/control/me"))["notifyLimits"] is value
    assert "notifyLimits" not in ok(owner.get("/control/me"))


# ---- projects


def test_project_answer(owner):
    name = unique("My Project ")
    wire = ok(owner.post("/control/projects", {"name": name}), 201)["project"]
    assert PROJECT_FIELDS <= set(wire) <= PROJECT_FIELDS | {"settings", "byoCapabilities", "warnings"}
    assert id_of("proj").match(wire["id"]) and TIME.match(wire["createdAt"])
    assert wire["name"] == name and wire["status"] == "active" and wire["role"] == "Owner"
    assert wire["parentId"] is None and wire["environment"] is None and wire["byo"] is False
    assert wire["maxFileSize"] == 50 * 1024 * 1024
    assert re.fullmatch(r"[a-z0-9-]+", wire["slug"]) and wire["slug"].startswith("my-project")
    assert id_of("org").match(wire["organizationId"])
    detail = ok(owner.get(f"/control/projects/{wire['id']}"))["project"]
    assert detail == wire
    listed = [item for item in ok(owner.get("/control/projects"))["projects"] if item["id"] == wire["id"]]
    assert listed == [wire]


def test_slugs_are_unique_and_stay(owner):
    name = unique("Same Name ")
    slugs = {owner.create_project(name).slug for _ in range(4)}
    assert len(slugs) == 4
    project = owner.create_project(unique("Before "))
    ok(owner.patch(f"/control/projects/{project.id}", {"name": "After"}), 204)
    detail = ok(owner.get(f"/control/projects/{project.id}"))["project"]
    assert detail["name"] == "After" and detail["slug"] == project.slug
    for name in ("///", "日本", "😀", "-", "a" * 64):
        assert re.fullmatch(r"[a-z0-9-]+", owner.create_project(name).slug)


def test_project_patch(owner):
    project = owner.create_project()
    path = f"/control/projects/{project.id}"
    ok(owner.patch(path, {"name": "New", "maxFileSize": 1000, "color": "teal", "icon": "🚀"}), 204)
    wire = ok(owner.get(path))["project"]
    assert (wire["name"], wire["maxFileSize"], wire["color"], wire["icon"]) == ("New", 1000, "teal", "🚀")
    ok(
        owner.patch(
            path,
            {
                "settings": {
                    "allowedOrigins": ["https://a.example"],
                    "hideRegistered": True,
                    "rotateRefreshTokens": True,
                }
            },
        ),
        204,
    )
    wire = ok(owner.get(path))["project"]
    assert wire["settings"]["allowedOrigins"] == ["https://a.example"]
    assert wire["settings"]["hideRegistered"] is True and wire["settings"]["rotateRefreshTokens"] is True
    assert wire["name"] == "New"


@pytest.mark.parametrize(
    "body, at",
    [
        ({"name": ""}, "/name"),
        ({"name": 5}, "/name"),
        ({"color": "#ff0000"}, "/color"),
        ({"color": "pinkish"}, "/color"),
        ({"maxFileSize": -1}, "/maxFileSize"),
        ({"maxFileSize": "1"}, "/maxFileSize"),
        ({"icon": "two words"}, "/icon"),
        ({"slug": "other"}, "/slug"),
        ({"status": "suspended"}, "/status"),
        ({"id": "proj_x"}, "/id"),
        ({"settings": {"nothing": 1}}, "/settings/nothing"),
        ({"settings": {"hideRegistered": "yes"}}, "/settings/hideRegistered"),
        ({"settings": {"allowedOrigins": "https://a.example"}}, "/settings/allowedOrigins"),
        ({"settings": []}, "/settings"),
    ],
)
def test_project_patch_refuses(owner, project, body, at):
    path = f"/control/projects/{project.id}"
    before = ok(owner.get(path))
    refused(owner.patch(path, body), 400, "VALIDATION", at)
    assert ok(owner.get(path)) == before


def test_origins_must_be_origins(owner, project):
    for origin in (
        "nonsense",
        "https://a.example/path",
        "ftp://a.example",
        "https://",
        "*://x",
        "https://*.a.example",
        "https://*",
        "https://a.example:*",
        "**",
        "",
        "null",
        "https://a.example:443",
        "http://a.example:80",
        "https://a.example:",
        "https://a.example:0443",
        "https://a%2eexample",
    ):
        refused(
            owner.patch(f"/control/projects/{project.id}", {"settings": {"allowedOrigins": [origin]}}),
            400,
            "VALIDATION",
        )


def test_suspend_and_resume(owner):
    project = owner.create_project()
    collection = project.collection()
    user, key = project.end_user(), project.api_key("read", "write", "admin")
    ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
    assert ok(owner.get(f"/control/projects/{project.id}"))["project"]["status"] == "suspended"
    for api in (user, key, project.admin):
        refused(api.get(f"/{collection}"), 403, "PROJECT_SUSPENDED")
        refused(api.post(f"/{collection}", {"a": 1}), 403, "PROJECT_SUSPENDED")
        refused(api.get("/admin/collections"), 403, "PROJECT_SUSPENDED")
    refused(user.get("/auth/sessions"), 403, "PROJECT_SUSPENDED")
    for path, body in (
        ("/auth/login", {"email": user.email, "password": PASSWORD}),
        ("/auth/register", {"email": f"{unique()}@example.com", "password": PASSWORD}),
        ("/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}),
    ):
        refused(project.public().post(path, body), 403, "PROJECT_SUSPENDED")
    refused(owner.post(f"/control/projects/{project.id}/token"), 403, "PROJECT_SUSPENDED")
    ok(owner.get(f"/control/projects/{project.id}/members"))
    ok(owner.patch(f"/control/projects/{project.id}", {"name": "Still mine"}), 204)
    ok(owner.post(f"/control/projects/{project.id}/resume"), 204)
    for api in (user, key, project.admin):
        ok(api.get(f"/{collection}"))
    ok(owner.post(f"/control/projects/{project.id}/token"))


def test_delete(owner):
    project = owner.create_project()
    collection = project.collection()
    user, key = project.end_user(), project.api_key("read")
    ok(owner.delete(f"/control/projects/{project.id}"), 204)
    for method, path in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("POST", "/suspend"),
        ("POST", "/resume"),
        ("POST", "/token"),
        ("GET", "/members"),
    ):
        body = {"json": {"name": "x"}} if method == "PATCH" else {}
        refused(owner.call(method, f"/control/projects/{project.id}{path}", **body), 404, "NOT_FOUND")
    assert project.id not in [item["id"] for item in ok(owner.get("/control/projects"))["projects"]]
    assert project.id not in [item["projectId"] for item in ok(owner.get("/control/me"))["memberships"]]
    for api in (user, key, project.admin):
        assert api.get(f"/{collection}").status_code in (401, 404)
    refused(project.public().post("/auth/login", {"email": user.email, "password": PASSWORD}), 404)


def test_slug_of_a_deleted_project_is_not_given_again(owner):
    name = unique("Gone ")
    project = owner.create_project(name)
    ok(owner.delete(f"/control/projects/{project.id}"), 204)
    assert owner.create_project(name).slug != project.slug


# ---- permissions

ROUTES = [
    ("GET", "", None),
    ("PATCH", "", {"name": "x"}),
    ("DELETE", "", None),
    ("POST", "/suspend", None),
    ("POST", "/resume", None),
    ("POST", "/token", None),
    ("GET", "/members", None),
    ("POST", "/members", {"email": "x@example.com", "role": "Viewer"}),
]


def test_non_members_meet_404(server, owner, project):
    stranger = PlatformUser(server)
    for method, path, body in ROUTES + [
        ("PATCH", f"/members/{owner.id}", {"role": "Viewer"}),
        ("DELETE", f"/members/{owner.id}", None),
    ]:
        more = {} if body is None else {"json": body}
        real = stranger.call(method, f"/control/projects/{project.id}{path}", **more)
        fake = stranger.call(method, f"/control/projects/proj_00000000000000000000{path}", **more)
        assert refused(real, 404, "NOT_FOUND") == refused(fake, 404, "NOT_FOUND")
    assert project.id not in [item["id"] for item in ok(stranger.get("/control/projects"))["projects"]]


def test_a_super_admin_is_no_member_of_everything(server, owner):
    other = PlatformUser(server)
    project = other.create_project()
    assert owner.user["platformRole"] == "super-admin"
    refused(owner.get(f"/control/projects/{project.id}"), 404)
    refused(owner.post(f"/control/projects/{project.id}/token"), 404)


@pytest.mark.parametrize(
    "role, allowed",
    [
        ("Viewer", {"GET ", "POST /token", "GET /members"}),
        ("Editor", {"GET ", "POST /token", "GET /members"}),
        ("Admin", {"GET ", "POST /token", "GET /members", "PATCH ", "POST /suspend", "POST /resume", "POST /members"}),
        ("Owner", {f"{method} {path}" for method, path, _ in ROUTES}),
    ],
)
def test_roles_of_members(server, owner, role, allowed):
    project = owner.create_project()
    member = project.member(role).user
    assert ok(member.get(f"/control/projects/{project.id}"))["project"]["role"] == role
    new = PlatformUser(server)
    for method, path, body in sorted(ROUTES, key=lambda route: (route[0] == "DELETE", route[1] == "/suspend")):
        body = {"email": new.email, "role": "Viewer"} if path == "/members" and method == "POST" else body
        response = member.call(
            method, f"/control/projects/{project.id}{path}", **({} if body is None else {"json": body})
        )
        if f"{method} {path}" in allowed:
            assert response.status_code < 300, f"{role} {method} {path}: {response.text}"
            if path == "/suspend":
                ok(member.post(f"/control/projects/{project.id}/resume"), 204)
        else:
            refused(response, 403, "FORBIDDEN")


def test_every_control_route_needs_a_control_token(server, project, alice):
    routes = [
        ("GET", "/control/me"),
        ("PATCH", "/control/me"),
        ("GET", "/control/projects"),
        ("POST", "/control/projects"),
        ("GET", "/control/auth/sessions"),
        ("DELETE", "/control/auth/sessions/x"),
    ]
    routes += [(method, f"/control/projects/{project.id}{path}") for method, path, _ in ROUTES]
    key = project.api_key("admin")
    for method, path in routes:
        for token in (None, "nonsense", project.admin.token, alice.token, key.token):
            refused(Api(server, token).call(method, path), 401, "UNAUTHENTICATED")


def test_control_tokens_are_refused_on_the_other_plane(server, owner, project):
    collection = project.collection()
    for method, path in (
        ("GET", f"/{collection}"),
        ("POST", f"/{collection}"),
        ("GET", "/auth/sessions"),
        ("GET", "/admin/collections"),
        ("GET", "/admin/users"),
    ):
        error = refused(Api(server, owner.token, project.id).call(method, path), 401, "UNAUTHENTICATED")
        assert "one of the control plane" in error["message"]


def test_a_projects_token_on_the_control_plane_is_named_in_the_error(server, project, alice):
    for token, given in (
        (project.admin.token, "a member's token of a project"),
        (alice.token, "an end user's token of a project"),
        (project.api_key("admin").token, "an API key of a project"),
    ):
        message = refused(Api(server, token).get("/control/me"), 401, "UNAUTHENTICATED")["message"]
        assert given in message and "needs a platform user's token" in message
    message = refused(Api(server, "nonsense").get("/control/me"), 401, "UNAUTHENTICATED")["message"]
    assert message == "this token is not valid here"


@pytest.mark.parametrize("forge", ["none", "HS256", "other key", "changed", "no signature"])
def test_forged_tokens(server, owner, project, forge):
    import base64
    import json

    from cryptography.hazmat.primitives.asymmetric import ec

    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    for token, path in ((owner.token, "/control/me"), (project.admin.token, "/admin/collections")):
        head, payload, signature = token.split(".")
        claims = jwt.decode(token, options={"verify_signature": False})
        header = jwt.get_unverified_header(token)
        forged = {
            "none": f"{part({**header, 'alg': 'none'})}.{payload}.",
            "HS256": jwt.encode(claims, "x" * 32, algorithm="HS256", headers={"kid": header.get("kid", "")}),
            "other key": jwt.encode(
                claims,
                ec.generate_private_key(ec.SECP256R1()),
                algorithm="ES256",
                headers={"kid": header.get("kid", "")},
            ),
            "changed": f"{head}.{part({**claims, 'exp': claims['exp'] + 1})}.{signature}",
            "no signature": f"{head}.{payload}.",
        }[forge]
        refused(Api(server, forged).get(path), 401, "UNAUTHENTICATED")
