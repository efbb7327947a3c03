"""Accounts and identities, the control plane, and the configuration."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pyotp
import pytest

from support.client import PASSWORD, Api, EndUser, PlatformUser, ok, refused, unique
from support.oauth_flow import (
    APP,
    BACK,
    Visit,
    came_back,
    error_of,
    github_person,
    lost,
    set_up,
    sign_in_with,
    signed_in,
    user_of,
)
from support.oidc_provider import Browser, OidcProvider


# ---- accounts


def test_a_verified_account_is_linked(server, project, github):
    email = github_person(github)["email"]
    known = EndUser(project, email=email)
    ok(project.admin.patch(f"/admin/users/{known.id}", {"emailVerified": True}), 204)
    github.emails[0]["email"] = email.upper()
    api = signed_in(server, Visit(server, "github", project).back(), project)
    assert user_of(api) == known.id
    known.login()  # the password still works
    (identity,) = ok(api.get("/auth/identities"))["identities"]
    assert set(identity) == {"id", "provider", "email", "createdAt"} and identity["provider"] == "github"
    # From now on the identity decides, whatever the address becomes.
    github.emails = [{"email": "other@example.com", "primary": True, "verified": False}]
    assert user_of(signed_in(server, Visit(server, "github", project).back(), project)) == known.id


def test_an_unverified_account_is_taken_from_its_creator(server, project, github):
    email = github_person(github)["email"]
    squatter = EndUser(project, email=email)
    secret = ok(squatter.post("/auth/mfa/totp/enroll"))["secret"]
    ok(squatter.post("/auth/mfa/totp/activate", {"code": pyotp.TOTP(secret).now()}))
    api = signed_in(server, Visit(server, "github", project).back(), project)
    assert user_of(api) == squatter.id
    refused(squatter.get("/auth/sessions"), 401, "UNAUTHENTICATED")
    login = {"email": email, "password": PASSWORD}
    refused(project.public().post("/auth/login", login), 401, "INVALID_CREDENTIALS")
    user = ok(project.admin.get(f"/admin/users/{squatter.id}"))["user"]
    assert user["emailVerified"] is True and user["mfaEnabled"] is False


def test_several_identities_and_the_last_way_in(server, project, github, issuer):
    email = github_person(github)["email"]
    issuer.person.update(sub=unique("s"), email=email)
    api = signed_in(server, Visit(server, "github", project).back(), project)
    assert user_of(signed_in(server, sign_in_with(server, project, issuer), project)) == user_of(api)
    first, second = ok(api.get("/auth/identities"))["identities"]
    stranger = project.end_user()
    refused(stranger.delete(f"/auth/identities/{first['id']}"), 404, "NOT_FOUND")
    for nobody in ("idn_none", "x", "%00"):
        refused(api.delete(f"/auth/identities/{nobody}"), 404, "NOT_FOUND")
    # Of two concurrent deletions one is refused.
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda each: api.delete(f"/auth/identities/{each['id']}"), (first, second)))
    assert sorted(answer.status_code for answer in answers) == [204, 409]
    (left,) = ok(api.get("/auth/identities"))["identities"]
    refused(api.delete(f"/auth/identities/{left['id']}"), 409, "CONFLICT")


def test_blocked_users_and_second_factors(server, project, github):
    email = github_person(github)["email"]
    api = signed_in(server, Visit(server, "github", project).back(), project)
    secret = ok(api.post("/auth/mfa/totp/enroll"))["secret"]
    app = pyotp.TOTP(secret)
    ok(api.post("/auth/mfa/totp/activate", {"code": app.at(time.time() - 30)}))
    fragment = came_back(Visit(server, "github", project).back())
    assert set(fragment) == {"mb_mfa"}
    body = {"mfaToken": fragment["mb_mfa"], "code": app.now()}
    assert ok(project.public().post("/auth/mfa/verify", body))["user"]["email"] == email
    for action in ("block", "deactivate"):
        ok(project.admin.post(f"/admin/users/{user_of(api)}/{action}"), 204)
        assert error_of(Visit(server, "github", project).back()) == "user_blocked"


def test_first_sign_ins_at_once_make_one_user(server, project, github):
    github_person(github)
    visits = [Visit(server, "github", project) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        users = {user_of(signed_in(server, url, project)) for url in pool.map(lambda visit: visit.back(), visits)}
    assert len(users) == 1


def test_the_same_person_in_two_projects_is_two_users(server, project, owner, github):
    other = owner.create_project()
    ok(other.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [APP]}), 204)
    set_up(other, "github")
    github_person(github)
    first = user_of(signed_in(server, Visit(server, "github", project).back(), project))
    assert user_of(signed_in(server, Visit(server, "github", other).back(), other)) != first


# ---- the control plane


def test_platform_users_sign_in_with_the_deployments_own_clients(server, github):
    assert ok(Api(server).get("/control/setup-status"))["oauthProviders"] == ["github"]
    email = github_person(github)["email"]
    github.asked.clear()
    for redirect in (server.url + "/dashboard", "https://console.example.com/in?x=1"):
        visit = Visit(server, "github", redirect=redirect)
        assert visit.sent["client_id"] == "platform-client"
        assert visit.sent["redirect_uri"] == f"{server.url}/api/v1/control/auth/oauth/github/callback"
        api = signed_in(server, visit.back(), redirect=redirect)
    me = ok(api.get("/control/me"))
    assert me["user"]["email"] == email and me["user"]["emailVerified"] is True and me["user"]["platformRole"] == "user"
    assert len(me["organizations"]) == 1
    (identity,) = ok(api.get("/control/auth/identities"))["identities"]
    refused(api.delete(f"/control/auth/identities/{identity['id']}"), 409, "CONFLICT")
    assert github.asked[0][1]["client_secret"] == "platform-secret"
    for redirect in (BACK, server.url + "@evil.example/", server.url.replace("127.0.0.1", "127.0.0.1.evil.example")):
        refused(Visit(server, "github", redirect=redirect).started, 400)
    own = server.url + "/dashboard"
    for name in ("google", "oidc-real"):
        assert error_of(Visit(server, name, redirect=own).started.headers["location"], own) == "provider_disabled"


def test_a_sign_in_moves_into_a_cookie(server, github):
    github_person(github)
    redirect = server.url + "/dashboard"
    fragment = came_back(Visit(server, "github", redirect=redirect).back(), redirect)
    headers = {"x-service-session": "cookie", "origin": server.url, "sec-fetch-site": "same-origin"}
    body = {"refreshToken": fragment["mb_refresh"]}
    response = Api(server).post("/control/auth/refresh", body, headers=headers)
    assert set(ok(response)) == {"accessToken", "expiresIn"}
    server.http.cookies.clear()
    cookie = response.headers["set-cookie"].partition(";")[0]
    again = Api(server).post("/control/auth/refresh", {}, headers={"cookie": cookie, **headers})
    server.http.cookies.clear()
    ok(Api(server, ok(again)["accessToken"]).get("/control/me"))
    refused(Api(server).post("/control/auth/refresh", body), 401, "UNAUTHENTICATED")


def test_a_provider_registers_only_invited_addresses_where_the_deployment_says_so(make_server, github):
    server = make_server(
        {
            "SERVICE_CONTROL_REGISTRATION": "invited",
            "SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8",
            "SERVICE_OAUTH_GITHUB_URL": github.url,
            "SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_ID": "platform-client",
            "SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_SECRET": "platform-secret",
        }
    ).start()
    own = server.url + "/dashboard"
    owner = PlatformUser(server)
    email = github_person(github)["email"]
    assert error_of(Visit(server, "github", redirect=own).back(), own) == "access_denied"
    project = owner.create_project()
    ok(owner.post(f"/control/projects/{project.id}/members", {"email": email, "role": "Viewer"}), 201)
    for _ in range(2):  # registers, then signs in without an invitation
        api = signed_in(server, Visit(server, "github", redirect=own).back(), redirect=own)
        assert len(ok(api.get("/control/me"))["memberships"]) == 1


def test_a_provider_does_not_register_the_first_user_where_that_needs_the_set_up_code(make_server, github):
    server = make_server(
        {
            "SERVICE_OPERATORS": "on",  # operators read the instance's audit log
            "SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8",
            "SERVICE_OAUTH_GITHUB_URL": github.url,
            "SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_ID": "platform-client",
            "SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_SECRET": "platform-secret",
        }
    ).start()
    own = server.url + "/dashboard"
    page = server.http.get("/auth/login", params={"plane": "control"}).text
    assert 'name="setupCode"' in page and "Continue with" not in page
    github_person(github)
    assert error_of(Visit(server, "github", redirect=own).back(), own) == "access_denied"
    assert ok(Api(server).get("/control/setup-status"))["needsSetup"] is True
    owner = PlatformUser(server)
    assert owner.user["platformRole"] == "super-admin"
    entries = ok(owner.get("/control/audit", params={"action": "login.failed"}))["entries"]
    assert [entry["details"]["reason"] for entry in entries] == ["setupCode"]
    # Afterwards registration through the provider works.
    api = signed_in(server, Visit(server, "github", redirect=own).back(), redirect=own)
    assert ok(api.get("/control/me"))["user"]["platformRole"] == "user"
    assert "Continue with" in server.http.get("/auth/login", params={"plane": "control"}).text


def test_platform_users_sign_in_with_a_real_provider(make_server):
    provider = OidcProvider()
    server = make_server(
        {
            "SERVICE_TRUSTED_PROXIES": None,  # no setting that makes the set-up code necessary
            "SERVICE_OAUTH_GOOGLE_ISSUER": provider.issuer,
            "SERVICE_CONTROL_OAUTH_GOOGLE_CLIENT_ID": "shop",
            "SERVICE_CONTROL_OAUTH_GOOGLE_CLIENT_SECRET": provider.secret("shop"),
        }
    ).start()
    provider.start(f"{server.url}/api/v1/control/auth/oauth/google/callback")
    try:
        assert ok(Api(server).get("/control/setup-status"))["oauthProviders"] == ["google"]
        home, person, browser = server.url + "/dashboard", unique("boss"), Browser()
        ids = []
        for _ in range(2):
            visit = Visit(server, "google", redirect=home, browser=browser)
            url = browser.sign_in(visit.started.headers["location"], person, visit.base + "/callback")
            api = signed_in(server, browser.get(url).headers["location"], redirect=home)
            ids.append(user_of(api))
        assert ids[0] == ids[1]
        me = ok(api.get("/control/me"))
        # The first user of the deployment becomes super-admin, whatever the way of registration.
        assert me["user"]["email"] == f"{person}@example.com" and me["user"]["platformRole"] == "super-admin"
        lost(server, browser.get(url).headers["location"])
    finally:
        provider.stop()


# ---- configuration


def test_admins_configure_it_and_never_see_secrets(server, owner):
    project = owner.create_project()
    admin = project.admin
    empty = ok(admin.get("/admin/auth/oauth"))
    assert empty == {"providers": [], "allowedRedirects": [], "baseUrl": server.url}
    set_up(project, "oidc-acme", issuer="https://login.example.com", clientSecret="very-secret-indeed")
    ok(admin.put("/admin/auth/oauth/providers/google", {"clientId": "g", "enabled": False}), 204)
    origins = ["https://b.example.com:8443", "http://localhost:3000", "https://a.example.com/", "http://localhost:3000"]
    ok(admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": origins}), 204)
    response = admin.get("/admin/auth/oauth")
    assert "very-secret-indeed" not in response.text
    assert response.json() == {
        "providers": [
            {"provider": "google", "clientId": "g", "enabled": False, "clientSecret": {"configured": False}},
            {
                "provider": "oidc-acme",
                "clientId": "shop",
                "enabled": True,
                "clientSecret": {"configured": True},
                "issuer": "https://login.example.com",
            },
        ],
        "allowedRedirects": ["http://localhost:3000", "https://a.example.com", "https://b.example.com:8443"],
        "baseUrl": server.url,
    }
    # If it is omitted or blank, the secret stays; with another issuer it does not.
    for secret in ({}, {"clientSecret": ""}):
        body = {"clientId": "new", "enabled": True, "issuer": "https://login.example.com", **secret}
        ok(admin.put("/admin/auth/oauth/providers/oidc-acme", body), 204)
        assert ok(admin.get("/admin/auth/oauth"))["providers"][1]["clientSecret"] == {"configured": True}
    body["issuer"] = "https://other.example.com"
    ok(admin.put("/admin/auth/oauth/providers/oidc-acme", body), 204)
    assert ok(admin.get("/admin/auth/oauth"))["providers"][1]["clientSecret"] == {"configured": False}
    for file in server.data.rglob("*"):
        assert not file.is_file() or b"very-secret-indeed" not in file.read_bytes(), file


def test_permissions_of_the_configuration(project):
    reader = project.member(project.role("auth:config:read"))
    ok(reader.get("/admin/auth/oauth"))
    refused(reader.put("/admin/auth/oauth/redirects", {"allowedRedirects": []}), 403, "FORBIDDEN")
    refused(reader.put("/admin/auth/oauth/providers/google", {"clientId": "x", "enabled": True}), 403, "FORBIDDEN")
    refused(project.end_user().get("/admin/auth/oauth"), 403, "FORBIDDEN")
    refused(project.public().get("/admin/auth/oauth"), 401, "UNAUTHENTICATED")


@pytest.mark.parametrize("name,change,path", [
    ("google", {"clientId": ""}, "/clientId"),
    ("google", {"clientId": "a b"}, "/clientId"),
    ("google", {"clientId": "x" * 600}, "/clientId"),
    ("google", {"clientId": 7}, "/clientId"),
    ("google", {"enabled": "on"}, "/enabled"),
    ("google", {"clientSecret": "a\nb"}, "/clientSecret"),
    ("google", {"clientSecret": "x" * 5000}, "/clientSecret"),
    ("google", {"issuer": "https://login.example.com"}, "/issuer"),
    ("google", {"secretEnc": "x"}, "/secretEnc"),
    ("oidc-bad", {}, "/issuer"),
    ("oidc-bad", {"issuer": "login.example.com"}, "/issuer"),
    ("oidc-bad", {"issuer": "http://login.example.com"}, "/issuer"),
    ("oidc-bad", {"issuer": "https://user@login.example.com"}, "/issuer"),
    ("oidc-bad", {"issuer": "https://login.example.com?x=1"}, "/issuer"),
    ("oidc-bad", {"issuer": "https://login.example.com#x"}, "/issuer"),
    ("oidc-bad", {"issuer": "https://LOGIN.example.com"}, "/issuer"),
    ("oidc-bad", {"issuer": "file:///etc/passwd"}, "/issuer"),
])  # fmt: skip
def test_providers_that_are_wrong(project, name, change, path):
    body = {"clientId": "c", "enabled": True, **change}
    refused(project.admin.put(f"/admin/auth/oauth/providers/{name}", body), 400, "VALIDATION", path)


def test_providers_that_there_cannot_be(project):
    for name in ("redirects", "facebook", "oidc-", "oidc-A", "oidc-" + "a" * 33, "%00", "Google"):
        body = {"clientId": "c", "enabled": True}
        refused(project.admin.put(f"/admin/auth/oauth/providers/{name}", body), 404, "NOT_FOUND")


@pytest.mark.parametrize("origin", [
    "", "*", "https://*.example.com", "app.example.com", "https://app.example.com/path", "https://app.example.com?x",
    "https://app.example.com#x", "https://user@app.example.com", "https://APP.example.com", "https://a.example.com:443",
    "javascript:alert(1)", "https://a.example.com\\", "https://a.example.com//", "null",
])  # fmt: skip
def test_origins_that_are_none(project, origin):
    body = {"allowedRedirects": ["https://fine.example.com", origin]}
    refused(project.admin.put("/admin/auth/oauth/redirects", body), 400, "VALIDATION", "/allowedRedirects/1")
    assert ok(project.admin.get("/admin/auth/oauth"))["allowedRedirects"] == [APP]


def test_too_many_of_them(project):
    body = {"allowedRedirects": [f"https://a{n}.example.com" for n in range(101)]}
    refused(project.admin.put("/admin/auth/oauth/redirects", body), 400, "VALIDATION", "/allowedRedirects")


def test_broken_settings_stop_the_start(make_server):
    for settings, line in [
        ({"SERVICE_OAUTH_GOOGLE_ISSUER": "login.example.com"}, "SERVICE_OAUTH_GOOGLE_ISSUER"),
        ({"SERVICE_OAUTH_GITHUB_URL": "ftp://x"}, "SERVICE_OAUTH_GITHUB_URL"),
        ({"SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_ID": "x"}, "SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_SECRET"),
        ({"SERVICE_CONTROL_OAUTH_GOOGLE_CLIENT_SECRET": "x"}, "SERVICE_CONTROL_OAUTH_GOOGLE_CLIENT_ID"),
    ]:
        server = make_server(settings)
        server.spawn()
        assert server.process.wait(30) != 0
        assert line in json.dumps(server.log())
        server.kill()
