"""End users of a project: registration, sign-in, sessions, and their administration."""

import concurrent.futures
import re
import time

import jwt
import pytest

from support.client import PASSWORD, Api, EndUser, PlatformUser, ok, refused, unique

USER_FIELDS = {"id", "email", "name", "emailVerified", "metadata", "status", "mfaEnabled", "createdAt", "updatedAt"}
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")


def register(project, **body):
    return project.public().post(
        "/auth/register", {"email": f"{unique('user')}@example.com", "password": PASSWORD, **body}
    )


# ---- register


def test_register_answer(project):
    email = f"{unique('User')}@Example.com"
    user = ok(register(project, email=f" {email} ", name="Ada"), 201)["user"]
    assert set(user) == USER_FIELDS
    assert re.fullmatch(r"user_[0-9A-Za-z]{20}", user["id"])
    assert user["email"].lower() == email.lower() and user["name"] == "Ada"
    assert user["status"] == "active" and user["emailVerified"] is False and user["mfaEnabled"] is False
    assert user["metadata"] == {} and TIME.match(user["createdAt"])


@pytest.mark.parametrize(
    "spellings",
    [
        ("É.{}@x.test", "é.{}@x.test", "E\u0301.{}@X.test"),
        ("ann.{}@bücher.test", "ann.{}@xn--bcher-kva.test", "Ann.{}@BÜCHER.test"),
        ("straße.{}@x.test", "STRASSE.{}@x.test"),
        ("ａｎｎ.{}@x.test", "ann.{}@x.test"),
    ],
)
def test_spellings_of_an_address_are_one_account(project, spellings):
    name = unique("u")
    spelled = [spelling.format(name) for spelling in spellings]
    user = ok(register(project, email=spelled[0]), 201)["user"]
    assert user["email"] == spelled[0]
    for email in spelled[1:]:
        refused(register(project, email=email), 409, "EMAIL_TAKEN")
        refused(project.admin.post("/admin/users", {"email": email, "password": PASSWORD}), 409, "EMAIL_TAKEN")
        answer = ok(project.public().post("/auth/login", {"email": email, "password": PASSWORD}))
        assert answer["user"]["id"] == user["id"] and answer["user"]["email"] == spelled[0]


@pytest.mark.parametrize("email", ["a\u0085b@x.test", "a\u200bb@x.test", "a\u202e@x.test", "a\uff20b@x.test"])
def test_invisible_characters_are_no_part_of_an_address(project, email):
    refused(register(project, email=email), 400, "VALIDATION", "/email")
    refused(project.admin.post("/admin/users", {"email": email, "password": PASSWORD}), 400, "VALIDATION", "/email")


def test_register_without_a_name(project):
    user = ok(register(project), 201)["user"]
    assert set(user) | {"name"} == USER_FIELDS


@pytest.mark.parametrize(
    "body, at",
    [
        ({"email": ""}, "/email"),
        ({"email": "x"}, "/email"),
        ({"email": None}, "/email"),
        ({"email": {"$ne": ""}}, "/email"),
        ({"email": ["a@b.example"]}, "/email"),
        ({"password": "short"}, "/password"),
        ({"password": "x" * 257}, "/password"),
        ({"password": {"$gt": ""}}, "/password"),
        ({"password": 12345678}, "/password"),
        ({"name": 5}, "/name"),
        ({"metadata": {"role": "boss"}}, "/metadata"),
        ({"role": "boss"}, "/role"),
        ({"id": "user_x"}, "/id"),
        ({"emailVerified": True}, "/emailVerified"),
        ({"status": "active"}, "/status"),
    ],
)
def test_register_refuses(project, body, at):
    before = len(ok(project.admin.get("/admin/users", params={"limit": 1000}))["users"])
    refused(register(project, **body), 400, "VALIDATION", at)
    assert len(ok(project.admin.get("/admin/users", params={"limit": 1000}))["users"]) == before


def test_register_taken_address(project, alice):
    for email in (alice.email, alice.email.upper(), f"  {alice.email}"):
        refused(register(project, email=email), 409, "EMAIL_TAKEN")


def test_addresses_are_unique_in_a_project_only(owner, project, alice):
    ok(register(owner.create_project(), email=alice.email), 201)


def test_of_concurrent_registrations_of_one_address_one_wins(project):
    email = f"{unique('race')}@example.com"
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        statuses = list(
            pool.map(lambda n: register(project, email=email.upper() if n % 2 else email).status_code, range(8))
        )
    assert sorted(statuses) == [201] + [409] * 7


def test_hidden_registration(owner):
    project = owner.create_project()
    taken = EndUser(project)
    ok(owner.patch(f"/control/projects/{project.id}", {"settings": {"hideRegistered": True}}), 204)
    user = ok(register(project, email=taken.email, name="Other"), 201)["user"]
    assert set(user) | {"name"} == USER_FIELDS and user["id"] != taken.id and user["status"] == "active"
    assert len(ok(project.admin.get("/admin/users"))["users"]) == 1


# ---- naming the project


def test_project_by_header_query_or_default(server, owner, project, alice):
    body = {"email": alice.email, "password": PASSWORD}
    nobody = Api(server)
    for named in (project.id, project.slug):
        ok(nobody.post("/auth/login", body, project=named))
        ok(nobody.post("/auth/login", body, params={"project": named}))
    owner.create_project()
    refused(nobody.post("/auth/login", body), 400, "MISSING_PROJECT")
    refused(nobody.post("/auth/login", body, project="proj_00000000000000000000"), 404)
    refused(nobody.post("/auth/login", body, project="no-such-project"), 404)
    for odd in ("", "a b", "x" * 500, "../x", "proj_", "$ne"):
        assert nobody.post("/auth/login", body, params={"project": odd}).status_code in (400, 404)


def test_only_project_and_default_project(make_server):
    server = make_server().start()
    owner = PlatformUser(server)
    first = owner.create_project()
    user = EndUser(first)
    body = {"email": user.email, "password": PASSWORD}
    ok(Api(server).post("/auth/login", body))
    owner.create_project()
    refused(Api(server).post("/auth/login", body), 400, "MISSING_PROJECT")
    server.stop()
    for default in (first.id, first.slug):
        server.settings["SERVICE_DEFAULT_PROJECT"] = default
        server.start()
        ok(Api(server).post("/auth/login", body))
        server.stop()


# ---- login, refresh, logout


def test_login_answer(server, project, alice):
    body = ok(project.public().post("/auth/login", {"email": f" {alice.email.upper()}", "password": PASSWORD}))
    assert set(body) == {"accessToken", "refreshToken", "expiresIn", "user"}
    assert body["expiresIn"] == 900 and body["user"]["id"] == alice.id and set(body["user"]) | {"name"} == USER_FIELDS
    claims = jwt.decode(body["accessToken"], options={"verify_signature": False})
    assert {"iss", "aud", "sub", "sid", "iat", "exp", "pid", "role", "perms"} <= set(claims)
    assert (claims["aud"], claims["sub"], claims["pid"], claims["role"]) == ("project", alice.id, project.id, "user")
    assert set(claims["perms"]) == {
        "data:*:read",
        "data:*:list",
        "data:*:create",
        "data:*:update",
        "data:*:delete",
        "storage:read",
        "storage:write",
        "functions:invoke",
    }
    assert claims["iss"] == server.url


def test_wrong_password_and_unknown_address_look_alike(project, alice):
    wrong = refused(
        project.public().post("/auth/login", {"email": alice.email, "password": "wrong-password"}),
        401,
        "INVALID_CREDENTIALS",
    )
    unknown = refused(
        project.public().post("/auth/login", {"email": f"{unique()}@example.com", "password": "x" * 8}),
        401,
        "INVALID_CREDENTIALS",
    )
    assert wrong == unknown


def test_users_of_one_project_are_nobody_in_another(owner, alice):
    other = owner.create_project()
    refused(
        other.public().post("/auth/login", {"email": alice.email, "password": PASSWORD}), 401, "INVALID_CREDENTIALS"
    )
    refused(other.public().post("/auth/refresh", {"refreshToken": alice.tokens["refreshToken"]}), 401)
    refused(alice.get("/auth/sessions", project=other.id), 400, "PROJECT_MISMATCH")


def test_guessing_one_account(project):
    """20 failures in 15 minutes over all addresses, then 429 for that account; existing sessions continue."""
    user = EndUser(project)
    other = EndUser(project)
    body = {"email": user.email, "password": "wrong-password"}
    for _ in range(20):
        refused(project.public().post("/auth/login", body), 401, "INVALID_CREDENTIALS")
    response = project.public().post("/auth/login", {"email": user.email, "password": PASSWORD})
    refused(response, 429, "RATE_LIMITED")
    assert 0 < int(response.headers["retry-after"]) <= 900
    ok(user.get("/auth/sessions"))
    ok(project.public().post("/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}))
    ok(project.public().post("/auth/login", {"email": other.email, "password": PASSWORD}))


def test_refresh(server, project):
    user = EndUser(project)
    body = ok(project.public().post("/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}))
    assert set(body) == {"accessToken", "expiresIn"} and body["expiresIn"] == 900
    ok(Api(server, body["accessToken"]).get("/auth/sessions"))
    ok(project.public().post("/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}))


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "sess_x.y", "\u0000", "x" * 10000])
def test_refresh_with_nonsense(project, token):
    response = project.public().post("/auth/refresh", {"refreshToken": token})
    assert response.status_code in (400, 401), response.text


def test_access_and_refresh_tokens_do_not_stand_for_each_other(server, project, alice):
    refused(project.public().post("/auth/refresh", {"refreshToken": alice.token}), 401)
    refused(Api(server, alice.tokens["refreshToken"], project.id).get("/auth/sessions"), 401)


def test_logout_ends_the_session(server, project):
    user = EndUser(project)
    collection = project.collection()
    ok(user.get(f"/{collection}"))
    ok(project.public().post("/auth/logout", {"refreshToken": user.tokens["refreshToken"]}), 204)
    refused(project.public().post("/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}), 401)
    refused(user.get(f"/{collection}"), 401, "UNAUTHENTICATED")
    refused(user.get("/auth/sessions"), 401, "UNAUTHENTICATED")


def test_rotating_refresh_tokens(owner):
    project = owner.create_project()
    ok(owner.patch(f"/control/projects/{project.id}", {"settings": {"rotateRefreshTokens": True}}), 204)
    user = EndUser(project)
    body = ok(project.public().post("/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}))
    assert {"accessToken", "expiresIn"} <= set(body)


# ---- sessions


def test_sessions(server, project):
    user = EndUser(project)
    first = user.tokens
    api = project.public()
    second = ok(
        api.post(
            "/auth/login",
            {"email": user.email, "password": PASSWORD},
            address="203.0.113.77",
            headers={"user-agent": "Test/1.0"},
        )
    )
    user.token = second["accessToken"]
    sessions = ok(user.get("/auth/sessions"))["sessions"]
    assert len(sessions) == 2
    for session in sessions:
        assert set(session) == {"id", "createdAt", "lastUsedAt", "expiresAt", "userAgent", "ip", "current"}
        assert re.fullmatch(r"sess_[0-9A-Za-z]{20}", session["id"]) and TIME.match(session["expiresAt"])
    (current,) = [session for session in sessions if session["current"]]
    assert current["userAgent"] == "Test/1.0" and current["ip"] == "203.0.113.77"
    (other,) = [session for session in sessions if not session["current"]]
    ok(user.delete(f"/auth/sessions/{other['id']}"), 204)
    refused(Api(server, first["accessToken"]).get("/auth/sessions"), 401)
    refused(api.post("/auth/refresh", {"refreshToken": first["refreshToken"]}), 401)
    ok(user.delete(f"/auth/sessions/{current['id']}"), 204)
    refused(user.get("/auth/sessions"), 401)


def test_sessions_of_others(project, alice, bob):
    (session, *_) = ok(bob.get("/auth/sessions"))["sessions"]
    refused(alice.delete(f"/auth/sessions/{session['id']}"), 404)
    for odd in ("x", "sess_00000000000000000000", "%24ne", "x" * 300):
        refused(alice.delete(f"/auth/sessions/{odd}"), 404)
    ok(bob.get("/auth/sessions"))


@pytest.mark.parametrize("token", [None, "nonsense"])
def test_sessions_need_a_token(project, token):
    refused(project.public().get("/auth/sessions", token=token), 401, "UNAUTHENTICATED")


def test_sessions_are_for_end_users(project):
    for api in (project.admin, project.api_key("admin")):
        assert api.get("/auth/sessions").status_code in (401, 403)


# ---- administration


def test_admin_creates_and_reads(project, admin):
    email = f"{unique('made')}@example.com"
    user = ok(
        admin.post("/admin/users", {"email": email, "password": PASSWORD, "name": "Made", "emailVerified": True}), 201
    )["user"]
    assert set(user) == USER_FIELDS and user["emailVerified"] is True
    assert ok(admin.get(f"/admin/users/{user['id']}"))["user"] == user
    ok(project.public().post("/auth/login", {"email": email, "password": PASSWORD}))
    refused(admin.post("/admin/users", {"email": email, "password": PASSWORD}), 409, "EMAIL_TAKEN")
    refused(admin.get("/admin/users/user_00000000000000000000"), 404, "NOT_FOUND")


def test_admin_lists(owner):
    project = owner.create_project()
    ids = [
        ok(project.admin.post("/admin/users", {"email": f"u{n}@example.com", "password": PASSWORD}), 201)["user"]["id"]
        for n in range(5)
    ]
    users = ok(project.admin.get("/admin/users"))["users"]
    assert sorted(user["id"] for user in users) == sorted(ids)
    for user in users:
        assert set(user) | {"name"} == USER_FIELDS
    order = [user["id"] for user in users]
    page = [user["id"] for user in ok(project.admin.get("/admin/users", params={"limit": 2, "skip": 1}))["users"]]
    assert page == order[1:3]
    assert ok(project.admin.get("/admin/users", params={"limit": 0}))["users"] == []
    for params in ({"limit": "x"}, {"limit": "-1"}, {"skip": "1.5"}, {"limit": ""}):
        refused(project.admin.get("/admin/users", params=params), 400, "INVALID_PARAM")


def test_admin_patches(project, admin):
    user = EndUser(project)
    path = f"/admin/users/{user.id}"
    new = f"{unique('new')}@example.com"
    ok(
        admin.patch(
            path, {"email": new, "name": "New", "emailVerified": True, "metadata": {"team": 7, "role": "user"}}
        ),
        204,
    )
    got = ok(admin.get(path))["user"]
    assert (got["email"], got["name"], got["emailVerified"]) == (new, "New", True)
    assert got["metadata"] == {"team": 7, "role": "user"}
    ok(project.public().post("/auth/login", {"email": new, "password": PASSWORD}))
    refused(project.public().post("/auth/login", {"email": user.email, "password": PASSWORD}), 401)
    refused(admin.patch("/admin/users/user_00000000000000000000", {"name": "x"}), 404)


def test_admin_patch_to_a_taken_address(project, admin, alice, bob):
    refused(admin.patch(f"/admin/users/{alice.id}", {"email": bob.email.upper()}), 409, "EMAIL_TAKEN")
    assert ok(admin.get(f"/admin/users/{alice.id}"))["user"]["email"] == alice.email


@pytest.mark.parametrize(
    "body, at",
    [
        ({"email": "x"}, "/email"),
        ({"name": []}, "/name"),
        ({"metadata": "x"}, "/metadata"),
        ({"emailVerified": "true"}, "/emailVerified"),
        ({"password": "12345678"}, "/password"),
        ({"status": "x"}, "/status"),
        ({"id": "x"}, "/id"),
        ({"mfaEnabled": False}, "/mfaEnabled"),
        ({"$set": {"name": "x"}}, "/$set"),
    ],
)
def test_admin_patch_refuses(admin, alice, body, at):
    before = ok(admin.get(f"/admin/users/{alice.id}"))
    refused(admin.patch(f"/admin/users/{alice.id}", body), 400, "VALIDATION", at)
    assert ok(admin.get(f"/admin/users/{alice.id}")) == before


@pytest.mark.parametrize(
    "move, status, code", [("block", "blocked", "USER_BLOCKED"), ("deactivate", "inactive", "USER_INACTIVE")]
)
def test_block_and_deactivate_bite_at_once(project, admin, move, status, code):
    user = EndUser(project)
    collection = project.collection()
    ok(user.get(f"/{collection}"))
    ok(admin.post(f"/admin/users/{user.id}/{move}"), 204)
    refused(user.get(f"/{collection}"), 401, "UNAUTHENTICATED")
    refused(user.get("/auth/sessions"), 401, "UNAUTHENTICATED")
    assert ok(admin.get(f"/admin/users/{user.id}"))["user"]["status"] == status
    api = project.public()
    refused(api.post("/auth/login", {"email": user.email, "password": PASSWORD}), 403, code)
    refused(api.post("/auth/login", {"email": user.email, "password": "wrong-password"}), 401, "INVALID_CREDENTIALS")
    assert api.post("/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}).status_code in (401, 403)
    ok(admin.post(f"/admin/users/{user.id}/{move}"), 204)
    ok(admin.post(f"/admin/users/{user.id}/activate"), 204)
    assert ok(admin.get(f"/admin/users/{user.id}"))["user"]["status"] == "active"
    user.login()
    ok(user.get(f"/{collection}"))


def test_status_of_nobody(admin):
    for move in ("block", "activate", "deactivate"):
        refused(admin.post(f"/admin/users/user_00000000000000000000/{move}"), 404)


def test_a_change_of_role_is_live(project):
    collection = project.collection()
    user = EndUser(project)
    reader = project.enduser_role("data:*:read", "data:*:list")
    document = user.create(collection, {"a": 1})
    ok(project.admin.patch(f"/admin/users/{user.id}", {"metadata": {"role": reader}}), 204)
    refused(user.post(f"/{collection}", {"a": 1}), 403, "FORBIDDEN")
    ok(user.get(f"/{collection}/{document['id']}"))
    ok(project.admin.put(f"/admin/enduser-roles/{reader}", {"permissions": []}), 204)
    refused(user.get(f"/{collection}/{document['id']}"), 403, "FORBIDDEN")
    ok(project.admin.patch(f"/admin/users/{user.id}", {"metadata": {}}), 204)
    ok(user.post(f"/{collection}", {"a": 1}), 201)


def test_a_role_that_is_not_has_no_permissions(project):
    collection = project.collection()
    user = EndUser(project)
    response = project.admin.patch(f"/admin/users/{user.id}", {"metadata": {"role": "no-such-role"}})
    if response.status_code == 204:
        refused(user.get(f"/{collection}"), 403)
        refused(user.post(f"/{collection}", {"a": 1}), 403)


def test_users_are_in_no_collection(project, alice):
    for name in ("users", "sessions", "__users", "__sessions", "system.users", "__audit"):
        refused(alice.get(f"/{name}"), 404, "NOT_FOUND")
        refused(project.admin.get(f"/{name}"), 404, "NOT_FOUND")
        refused(project.admin.get(f"/admin/collections/{name}/documents"), 404, "NOT_FOUND")


def test_passwords_are_hashed_off_the_request_threads(server, project):
    """Other requests are served during many logins."""
    users = [EndUser(project) for _ in range(2)]
    collection = project.collection()
    stop = time.monotonic() + 2
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        logins = [
            pool.submit(
                lambda user=user: (
                    project.public().post("/auth/login", {"email": user.email, "password": PASSWORD}).status_code
                )
            )
            for user in users * 16
        ]
        served = 0
        while time.monotonic() < stop and not all(login.done() for login in logins):
            ok(users[0].get(f"/{collection}"))
            served += 1
        assert served >= 3
        assert {login.result() for login in logins} <= {200, 503}
