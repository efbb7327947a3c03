"""Sign-in with other providers: a real OpenID Connect provider, and stand-ins for what no real one would do."""

import json
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import httpx
import jwt
import pyotp
import pytest

from support.client import PASSWORD, Api, EndUser, PlatformUser, ok, refused, unique
from support.oidc_provider import Browser, OidcProvider
from support.providers import GithubStandIn, Issuer, Key
from support.server import SLOW, Server

APP = "https://app.example.com"
BACK = APP + "/signed-in?from=test"
LIMIT = 30 * SLOW


@pytest.fixture(scope="module")
def provider():
    provider = OidcProvider()
    yield provider
    provider.stop()


@pytest.fixture(scope="module")
def github():
    github = GithubStandIn()
    yield github
    github.close()


@pytest.fixture(scope="module")
def google():
    issuer = Issuer("google-client")
    yield issuer
    issuer.close()


@pytest.fixture
def issuer():
    issuer = Issuer()
    yield issuer
    issuer.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory, provider, github, google):
    server = Server(
        tmp_path_factory.mktemp("server"),
        {
            "SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8",
            "SERVICE_OAUTH_GITHUB_URL": github.url,
            "SERVICE_OAUTH_GOOGLE_ISSUER": google.url,
            "SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_ID": "platform-client",
            "SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_SECRET": "platform-secret",
            "SERVICE_CORS_ORIGINS": "https://console.example.com",
        },
    ).start()
    names = ("oidc-real", "oidc-realec", "oidc-realed")
    provider.start(*[f"{server.url}/api/v1/auth/oauth/{name}/callback" for name in names])
    yield server
    server.stop()


@pytest.fixture(scope="module")
def project(owner):
    project = owner.create_project()
    ok(project.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [APP]}), 204)
    set_up(project, "github")
    set_up(project, "google", clientId="google-client")
    return project


def set_up(project, name: str, **more) -> None:
    body = {"clientId": "shop", "clientSecret": "a-secret", "enabled": True, **more}
    ok(project.admin.put(f"/admin/auth/oauth/providers/{name}", body), 204)


def fragment(url: str) -> dict:
    return dict(urllib.parse.parse_qsl(urllib.parse.urlparse(url).fragment, keep_blank_values=True))


class Visit:
    """A browser's way through one sign-in, with a provider that a test plays."""

    def __init__(self, server, provider: str, project=None, redirect: str = BACK, browser: Browser | None = None):
        self.server, self.provider = server, provider
        self.browser = browser or Browser()
        plane = "auth" if project else "control/auth"
        self.base = f"{server.url}/api/v1/{plane}/oauth/{provider}"
        query = {"redirect": redirect, **({"project": project.id} if project else {})}
        # From an address of its own, so that limits stay out of the way.
        self.headers = {"x-forwarded-for": ".".join(str(time.perf_counter_ns() >> shift & 127) for shift in (24, 16, 8, 0))}
        self.started = self.browser.get(f"{self.base}/start", params=query, headers=self.headers)

    @property
    def sent(self) -> dict:
        """What the provider was asked."""
        assert self.started.status_code == 302, self.started.text
        return dict(urllib.parse.parse_qsl(urllib.parse.urlparse(self.started.headers["location"]).query))

    def back(self, base: str | None = None, browser: Browser | None = None, **query) -> str:
        query = {"state": self.sent.get("state", ""), "code": "code-1", **query}
        answer = (browser or self.browser).get(
            f"{base or self.base}/callback",
            params={name: value for name, value in query.items() if value is not None},
            headers=self.headers,
        )
        assert answer.status_code == 302, answer.text
        assert answer.headers["cache-control"] == "no-store"
        return answer.headers["location"]


def came_back(url: str, redirect: str = BACK) -> dict:
    assert url.split("#")[0] == redirect, url
    return fragment(url)


def error_of(url: str, redirect: str = BACK) -> str:
    told = came_back(url, redirect)
    assert set(told) == {"mb_error"}, url
    return told["mb_error"]


def lost(server, url: str) -> None:
    assert url == f"{server.url}/auth/login#mb_error=invalid_state", url


def signed_in(server, url: str, project=None, redirect: str = BACK) -> Api:
    told = came_back(url, redirect)
    assert set(told) == {"mb_refresh"}, url
    plane, named = ("/auth", project.id) if project else ("/control/auth", None)
    api = Api(server, project=named)
    token = ok(api.post(f"{plane}/refresh", {"refreshToken": told["mb_refresh"]}))["accessToken"]
    return Api(server, token)


def user_of(api: Api) -> str:
    return jwt.decode(api.token, options={"verify_signature": False})["sub"]


# ---- the real provider


@pytest.mark.parametrize("name,client", [("oidc-real", "shop"), ("oidc-realec", "shop-es"), ("oidc-realed", "shop-ed")])
def test_a_real_provider_signs_a_new_user_in(server, project, provider, name, client):
    set_up(project, name, clientId=client, clientSecret=provider.secret(client), issuer=provider.issuer)
    person = unique("ann")
    browser = Browser()
    ids = []
    for _ in range(2):
        visit = Visit(server, name, project, browser=browser)
        url = browser.sign_in(visit.started.headers["location"], person, visit.base + "/callback")
        answer = browser.get(url)
        ids.append(user_of(signed_in(server, answer.headers["location"], project)))
    assert ids[0] == ids[1]
    user = ok(project.admin.get(f"/admin/users/{ids[0]}"))["user"]
    assert user["email"] == f"{person}@example.com" and user["emailVerified"] is True
    assert user["name"] == f"Name of {person}" and user["status"] == "active"
    # The same code and state again.
    lost(server, browser.get(url).headers["location"])


def test_a_provider_may_change_its_keys(server, project, provider):
    set_up(project, "oidc-real", clientId="shop", clientSecret=provider.secret("shop"), issuer=provider.issuer)
    for _ in range(2):
        visit = Visit(server, "oidc-real", project)
        url = visit.browser.sign_in(visit.started.headers["location"], unique("key"), visit.base + "/callback")
        signed_in(server, visit.browser.get(url).headers["location"], project)
        provider.restart()


def test_an_unproven_address_is_told(server, project, provider):
    set_up(project, "oidc-real", clientId="shop", clientSecret=provider.secret("shop"), issuer=provider.issuer)
    visit = Visit(server, "oidc-real", project)
    url = visit.browser.sign_in(visit.started.headers["location"], unique("un"), visit.base + "/callback")
    assert error_of(visit.browser.get(url).headers["location"]) == "email_unverified"


# ---- the start


def test_what_the_provider_is_asked(server, project, github):
    visit = Visit(server, "github", project)
    assert visit.started.headers["location"].startswith(github.url + "/login/oauth/authorize?")
    assert visit.sent["redirect_uri"] == f"{server.url}/api/v1/auth/oauth/github/callback"
    assert visit.sent["client_id"] == "shop" and visit.sent["response_type"] == "code"
    assert visit.sent["code_challenge_method"] == "S256" and len(visit.sent["code_challenge"]) == 43
    cookie = visit.started.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Path=/api/v1/auth/oauth" in cookie
    assert "Secure" not in cookie  # the base URL of this server is http
    assert visit.started.headers["referrer-policy"] == "no-referrer"
    # A Host of the caller's changes nothing.
    forged = visit.browser.get(
        f"{visit.base}/start",
        params={"redirect": BACK, "project": project.id},
        headers={"host": "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https"},
    )
    assert "evil" not in forged.headers["location"] + forged.headers["set-cookie"]


BAD_REDIRECTS = [
    "",
    "/relative",
    "//app.example.com/x",
    "https://app.example.com.evil.example/",
    "https://app.example.comevil.example",
    "https://app.example.com@evil.example/",
    "https://user@app.example.com/",
    "https://user:secret@app.example.com/",
    "https://evil.example\\@app.example.com/",
    "https:\\\\app.example.com/",
    "https://app.example.com\\.evil.example/",
    "https://app.example.com:8443/",
    "https://app.example.com:443/",
    "https://app.example.com./",
    "https://APP.example.com/",
    "HTTPS://app.example.com/",
    "http://app.example.com/",
    "https://app.example.com/#there",
    "https://app.example.com/#",
    "https://app.example.com%2eevil.example/",
    "https://app.example.com\t/",
    " https://app.example.com/",
    "https://app.example.com/\n",
    "https://app.example.com/\x00",
    "https://аpp.example.com/",
    "javascript:alert(1)//https://app.example.com/",
    "data:text/html,https://app.example.com/",
    "https://app.example.com/" + "a" * 3000,
]


@pytest.mark.parametrize("redirect", BAD_REDIRECTS)
def test_redirects_that_are_not_on_the_list(server, project, redirect):
    answer = Visit(server, "github", project, redirect=redirect).started
    refused(answer, 400)
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("redirect", [APP, APP + "/", APP + "?a=b", APP + "/a/b?c=https://other.example/@x"])
def test_redirects_that_are(server, project, redirect):
    assert error_of(Visit(server, "github", project, redirect).back(error="access_denied"), redirect) == "access_denied"


def test_providers_that_are_not_offered(server, project):
    api = project.public()
    for name in ("facebook", "oidc-", "oidc-Upper", "GitHub", "%00", "oidc-" + "a" * 40):
        refused(api.get(f"/auth/oauth/{name}/start", params={"redirect": BACK}), 404, "NOT_FOUND")
    assert error_of(Visit(server, "oidc-nobody", project).started.headers["location"]) == "provider_disabled"
    set_up(project, "oidc-off", issuer="https://login.example.com", enabled=False)
    assert error_of(Visit(server, "oidc-off", project).started.headers["location"]) == "provider_disabled"


def test_the_project_is_needed(server, project):
    refused(Api(server, project="nowhere").get("/auth/oauth/github/start", params={"redirect": BACK}), 404)


# ---- the state


def test_broken_states(server, project):
    visit = Visit(server, "github", project)
    state = visit.sent["state"]
    payload, signature = state.split(".")
    for text in ("", "x", ".", payload, f"{payload}.", f".{signature}", f"{payload}x.{signature}",
                 f"{payload}.{signature[:-2]}", state + ".x", "\x00", "a" * 20_000):
        if len(text) < 8000:
            lost(server, visit.back(state=text))
    lost(server, visit.back(state=None))
    # The good one still counts.
    signed_in(server, visit.back(), project)


def test_a_state_counts_once(server, project):
    visit = Visit(server, "github", project)
    signed_in(server, visit.back(), project)
    lost(server, visit.back())
    denied = Visit(server, "github", project)
    assert error_of(denied.back(error="access_denied", code=None)) == "access_denied"
    lost(server, denied.back())


def test_of_twenty_parallel_callbacks_one_wins(server, project):
    visit = Visit(server, "github", project)
    visit.sent  # noqa: B018 - before the threads
    cookie = {"mb_oauth": visit.browser.http.cookies["mb_oauth"]}
    query = {"state": visit.sent["state"], "code": "code-1"}

    def call(_):
        answer = httpx.get(f"{visit.base}/callback", params=query, cookies=cookie, headers=visit.headers, trust_env=False,
                           timeout=LIMIT)
        return "mb_refresh" in fragment(answer.headers["location"])

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(call, range(20))).count(True) == 1


def test_a_state_of_another_browser_provider_plane_or_project(server, project, owner):
    visit = Visit(server, "github", project)
    other = Visit(server, "github", project)
    lost(server, visit.back(browser=Browser()))
    lost(server, visit.back(browser=other.browser))
    lost(server, visit.back(base=f"{server.url}/api/v1/auth/oauth/google"))
    control = visit.base.replace("/auth/", "/control/auth/")
    cookie = visit.browser.http.cookies["mb_oauth"]
    answer = httpx.get(f"{control}/callback", params={"state": visit.sent["state"], "code": "c"},
                       cookies={"mb_oauth": cookie}, trust_env=False, timeout=LIMIT)
    lost(server, answer.headers["location"])
    # Whatever project the callback names, the state's is the one.
    elsewhere = owner.create_project()
    api = signed_in(server, visit.back(project=elsewhere.id), project)
    refused(api.get("/auth/sessions", project=elsewhere.id), 400, "PROJECT_MISMATCH")


def test_two_tabs_of_one_browser(server, project):
    first = Visit(server, "github", project)
    second = Visit(server, "github", project, browser=first.browser)
    signed_in(server, first.back(), project)
    signed_in(server, second.back(), project)


def test_a_redirect_taken_off_the_list_meanwhile(server, owner):
    own = owner.create_project()
    ok(own.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [APP]}), 204)
    set_up(own, "github")
    visit = Visit(server, "github", own)
    ok(own.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": []}), 204)
    lost(server, visit.back())
    ok(own.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [APP]}), 204)
    disabled = Visit(server, "github", own)
    set_up(own, "github", enabled=False)
    assert error_of(disabled.back()) == "provider_disabled"


def test_the_callback_never_answers_with_an_error_status(server):
    for query in ("", "?", "?state=%zz", "?state=a&state=b", "?code=" + "x" * 5000, "?error=" + "x" * 3000):
        for plane in ("auth", "control/auth"):
            answer = httpx.get(f"{server.url}/api/v1/{plane}/oauth/any%20thing/callback{query}", trust_env=False, timeout=LIMIT)
            assert answer.status_code == 302
            lost(server, answer.headers["location"])


# ---- what GitHub says


def github_person(github, **more) -> dict:
    number = time.time_ns() % 10**12
    github.person = {"id": number, "login": f"octo{number}", "name": "Octo"}
    github.emails = [{"email": f"octo{number}@example.com", "primary": True, "verified": True, **more}]
    return github.emails[0]


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
def test_github_addresses_that_prove_nothing(server, project, github, emails):
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
    github.answers["/api/v3/user"] = lambda *_: time.sleep(7) or github.person
    try:
        assert error_of(Visit(server, "github", project).back()) == "provider_error"
    finally:
        github.answers["/api/v3/user"] = kept


def test_codes_that_are_none(server, project):
    for code in (None, "", "x" * 5000):
        assert error_of(Visit(server, "github", project).back(code=code)) == "provider_error"
    assert error_of(Visit(server, "github", project).back(error="server_error")) == "provider_error"


# ---- what an issuer says


def sign_in_with(server, project, issuer, **query) -> str:
    name = "oidc-x"
    set_up(project, name, issuer=issuer.url)
    visit = Visit(server, name, project)
    issuer.nonce = visit.sent["nonce"]
    return visit.back(**query)


def soon(seconds: int) -> int:
    return int(time.time()) + seconds


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
def test_addresses_that_are_not_proven(server, project, issuer, verified):
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


# ---- accounts


def test_a_proven_account_is_linked(server, project, github):
    email = github_person(github)["email"]
    known = EndUser(project, email=email)
    ok(project.admin.patch(f"/admin/users/{known.id}", {"emailVerified": True}), 204)
    github.emails[0]["email"] = email.upper()
    api = signed_in(server, Visit(server, "github", project).back(), project)
    assert user_of(api) == known.id
    known.login()  # the password stays
    (identity,) = ok(api.get("/auth/identities"))["identities"]
    assert set(identity) == {"id", "provider", "email", "createdAt"} and identity["provider"] == "github"
    # From now on it is the identity that counts, whatever the address becomes.
    github.emails = [{"email": "other@example.com", "primary": True, "verified": False}]
    assert user_of(signed_in(server, Visit(server, "github", project).back(), project)) == known.id


def test_an_unproven_account_is_taken_from_whoever_made_it(server, project, github):
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
    # Of both at once one stays.
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
    told = came_back(Visit(server, "github", project).back())
    assert set(told) == {"mb_mfa"}
    body = {"mfaToken": told["mb_mfa"], "code": app.now()}
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
    told = admin.get("/admin/auth/oauth")
    assert "very-secret-indeed" not in told.text
    assert told.json() == {
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
    # Left out or blank, the secret stays; for another issuer it does not.
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
