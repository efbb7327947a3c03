"""The start, the state and the callback, also with a real provider."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from support.client import Api, ok, refused, unique
from support.oauth_flow import APP, BACK, Visit, error_of, fragment, lost, set_up, signed_in, user_of
from support.oidc_provider import Browser
from support.waiting import SLOW

LIMIT = 30 * SLOW


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


def test_an_unverified_address_is_reported(server, project, provider):
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
    # A forged Host header changes nothing.
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
    # The valid state still works.
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
    # The project in the callback's query is ignored; that of the state counts.
    elsewhere = owner.create_project()
    api = signed_in(server, visit.back(project=elsewhere.id), project)
    refused(api.get("/auth/sessions", project=elsewhere.id), 400, "PROJECT_MISMATCH")


def test_a_planted_cookie_is_not_kept(server, project):
    planted = "A" * 43
    browser = Browser()
    browser.http.cookies.set("mb_oauth", planted)
    answer = Visit(server, "github", project, browser=browser).started
    given = [value.split(";")[0].split("=", 1)[1] for value in answer.headers.get_list("set-cookie")]
    assert given and planted not in given


def test_two_tabs_of_one_browser(server, project):
    first = Visit(server, "github", project)
    second = Visit(server, "github", project, browser=first.browser)
    signed_in(server, first.back(), project)
    signed_in(server, second.back(), project)


def test_a_redirect_taken_off_the_list_during_a_sign_in(server, owner):
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
