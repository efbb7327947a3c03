"""Responses of providers, including those that no real one would send."""

import threading

import jwt
import pytest

from support.client import PlatformUser, ok, unique
from support.oauth_flow import APP, Visit, error_of, github_person, set_up, sign_in_with, signed_in, soon
from support.providers import Key


# ---- responses of GitHub


def test_github_trades_the_code_with_its_verifier(server, project, github):
    github_person(github)
    github.asked.clear()
    visit = Visit(server, "github", project)
    signed_in(server, visit.back(code="the-code"), project)
    (_, form, _), (_, _, user), (_, _, emails) = github.asked
    assert form["code"] == "the-code" and form["client_id"] == "shop" and form["client_secret"] == "a-secret"
    assert 43 <= len(form["code_verifier"]) <= 128 and form["redirect_uri"] == visit.sent["redirect_uri"]
    assert form["code_verifier"] not in visit.started.headers["location"]
    assert user["authorization"] == emails["authorization"] == "Bearer gh-1"


@pytest.mark.parametrize("emails", [
    [],
    [{"email": "octo@example.com", "primary": True, "verified": False}],
    [{"email": "octo@example.com", "primary": False, "verified": True}],
    [{"email": "octo@example.com", "primary": True, "verified": "true"}],
    [{"email": "no address", "primary": True, "verified": True}],
    [{"email": None, "primary": True, "verified": True}],
    [None, 1, "x", []],
])  # fmt: skip
def test_github_addresses_that_verify_nothing(server, project, github, emails):
    github_person(github)
    github.emails = emails
    assert error_of(Visit(server, "github", project).back()) == "email_unverified"


@pytest.mark.parametrize("path,answer", [
    ("/login/oauth/access_token", {"error": "bad_verification_code"}),
    ("/login/oauth/access_token", {"access_token": ["x"]}),
    ("/login/oauth/access_token", (500, {})),
    ("/login/oauth/access_token", b"not json"),
    ("/login/oauth/access_token", b"[" * 5000),
    ("/login/oauth/access_token", b'{"access_token": "' + b"x" * 2_000_000 + b'"}'),
    ("/api/v3/user", {"id": "7"}),
    ("/api/v3/user", {"id": -1}),
    ("/api/v3/user", {"login": "octo"}),
    ("/api/v3/user", []),
    ("/api/v3/user", (401, {})),
    ("/api/v3/user", b'{"id": 1, "id": 2}'),
    ("/api/v3/user/emails", (302, {})),
    ("/api/v3/user/emails", b"\xff\xfe"),
])  # fmt: skip
def test_github_answers_that_are_broken(server, project, github, path, answer):
    github_person(github)
    kept = github.answers[path]
    github.answers[path] = answer
    try:
        assert error_of(Visit(server, "github", project).back()) == "provider_error"
    finally:
        github.answers[path] = kept


def test_a_slow_provider(server, project, github):
    kept = github.answers["/api/v3/user"]
    refused = threading.Event()
    github.answers["/api/v3/user"] = lambda *_: refused.wait(60) and github.person
    try:
        assert error_of(Visit(server, "github", project).back()) == "provider_error"
    finally:
        refused.set()
        github.answers["/api/v3/user"] = kept


def test_codes_that_are_none(server, project):
    for code in (None, "", "x" * 5000):
        assert error_of(Visit(server, "github", project).back(code=code)) == "provider_error"
    assert error_of(Visit(server, "github", project).back(error="server_error")) == "provider_error"


# ---- responses of an issuer


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
def test_algorithms_that_are_taken(server, project, issuer, algorithm):
    issuer.key = Key("own", algorithm)
    issuer.keys = [Key("other", algorithm), issuer.key]
    issuer.person.update(sub=unique("s"), email=f"{unique('alg')}@example.com")
    signed_in(server, sign_in_with(server, project, issuer), project)


CLAIMS = {
    "another issuer": {"iss": "https://accounts.example.com"},
    "no issuer": {"iss": None},
    "another audience": {"aud": "another"},
    "no audience": {"aud": None},
    "many audiences and no party": {"aud": ["shop", "another"]},
    "audience of wrong type": {"aud": {"shop": True}},
    "audiences of wrong types": {"aud": ["shop", 1], "azp": "shop"},
    "another party": {"azp": "another"},
    "expired": {"exp": soon(-300), "iat": soon(-600)},
    "no expiry": {"exp": None},
    "expiry of wrong type": {"exp": "tomorrow"},
    "from the future": {"iat": soon(3600), "exp": soon(7200)},
    "no time": {"iat": None},
    "not yet": {"nbf": soon(3600)},
    "another nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "nonce of wrong type": {"nonce": ["x"]},
    "no subject": {"sub": None},
    "empty subject": {"sub": ""},
    "subject of wrong type": {"sub": 7},
    "long subject": {"sub": "s" * 300},
}


@pytest.mark.parametrize("change", CLAIMS.values(), ids=CLAIMS)
def test_claims_that_are_wrong(server, project, issuer, change):
    issuer.change = change
    assert error_of(sign_in_with(server, project, issuer)) == "provider_error"


def none_token(claims):
    return jwt.encode(claims, None, "none")


TOKENS = {
    "no algorithm": lambda issuer: none_token,
    "no signature": lambda issuer: lambda claims: issuer.key.sign(claims).rsplit(".", 1)[0] + ".",
    "another key": lambda issuer: Key(issuer.key.kid).sign,
    "unknown key": lambda issuer: Key("unknown").sign,
    "symmetric with the client's secret": lambda issuer: lambda claims: jwt.encode(
        claims, "a-secret" * 8, "HS256", headers={"kid": issuer.key.kid}
    ),
    "another algorithm": lambda issuer: Key(issuer.key.kid, "RS256").sign,
    "critical extensions": lambda issuer: lambda claims: issuer.key.sign(claims, crit=["x"], x=1),
    "four parts": lambda issuer: lambda claims: issuer.key.sign(claims) + ".x",
    "not base64": lambda issuer: lambda claims: "*." + issuer.key.sign(claims).split(".", 1)[1],
    "empty": lambda issuer: lambda claims: "",
    "a number": lambda issuer: lambda claims: 7,
    "huge": lambda issuer: lambda claims: issuer.key.sign({**claims, "more": "x" * 100_000}),
}


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS)
def test_tokens_that_are_forged(server, project, issuer, token):
    issuer.token = token(issuer)
    assert error_of(sign_in_with(server, project, issuer)) == "provider_error"


def test_keys_change_and_are_looked_for_at_a_bounded_rate(server, project, issuer):
    issuer.person.update(sub=unique("s"), email=f"{unique('rot')}@example.com")
    signed_in(server, sign_in_with(server, project, issuer), project)
    issuer.key = Key("second")
    issuer.keys = [issuer.key]
    signed_in(server, sign_in_with(server, project, issuer), project)
    issuer.keys = []
    issuer.key = Key("third")
    for _ in range(8):
        assert error_of(sign_in_with(server, project, issuer)) == "provider_error"
    assert issuer.times("/keys") <= 6
    assert issuer.times("/.well-known/openid-configuration") == 1


def test_a_callback_of_another_issuer(server, project, issuer):
    assert error_of(sign_in_with(server, project, issuer, iss="https://other.example")) == "provider_error"
    issuer.person.update(sub=unique("s"), email=f"{unique('iss')}@example.com")
    signed_in(server, sign_in_with(server, project, issuer, iss=issuer.url), project)


def test_an_issuer_that_names_itself_must(server, project, issuer):
    issuer.discovery["authorization_response_iss_parameter_supported"] = True
    assert error_of(sign_in_with(server, project, issuer)) == "provider_error"


def test_the_address_may_come_from_userinfo(server, project, issuer):
    email = f"{unique('info')}@example.com"
    issuer.person.update(sub=unique("s"), email=email)
    issuer.change = {"email": None, "email_verified": None}
    signed_in(server, sign_in_with(server, project, issuer), project)
    issuer.answers["/userinfo"] = {"sub": "somebody else", "email": "victim@example.com", "email_verified": True}
    assert error_of(sign_in_with(server, project, issuer)) == "provider_error"


@pytest.mark.parametrize("verified", [False, None, 1, "yes", "false", []])
def test_addresses_that_are_not_verified(server, project, issuer, verified):
    issuer.person.update(sub=unique("s"), email=f"{unique('unp')}@example.com", email_verified=verified)
    assert error_of(sign_in_with(server, project, issuer)) == "email_unverified"


DISCOVERY = {
    "another issuer": {"issuer": "https://other.example"},
    "no token endpoint": {"token_endpoint": None},
    "endpoint of wrong type": {"jwks_uri": 7},
    "endpoint that is no URL": {"authorization_endpoint": "javascript:alert(1)"},
    "endpoint with a user": {"token_endpoint": "http://a:b@127.0.0.1/"},
}


@pytest.mark.parametrize("change", DISCOVERY.values(), ids=DISCOVERY)
def test_discovery_that_is_broken(server, project, issuer, change):
    issuer.discovery.update(change)
    name = "oidc-x"
    set_up(project, name, issuer=issuer.url)
    assert error_of(Visit(server, name, project).started.headers["location"]) == "provider_error"


def test_an_issuer_inside_the_network_is_not_called(make_server, issuer):
    inside = make_server().start()
    project = PlatformUser(inside).create_project()
    ok(project.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [APP]}), 204)
    set_up(project, "oidc-inside", issuer=issuer.url)
    assert error_of(Visit(inside, "oidc-inside", project).started.headers["location"]) == "provider_error"
    assert issuer.asked == []


def test_google_is_found_by_its_issuer(server, project, google):
    google.person.update(sub=unique("g"), email=f"{unique('goo')}@example.com")
    visit = Visit(server, "google", project)
    google.nonce = visit.sent["nonce"]
    signed_in(server, visit.back(), project)
