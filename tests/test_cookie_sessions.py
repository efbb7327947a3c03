"""A browser's session on the control plane: the refresh token as a cookie, for pages of the server's own origin."""

import time
from concurrent.futures import ThreadPoolExecutor

import pyotp
import pytest

from support.client import PASSWORD, Api, PlatformUser, fresh_address, ok, refused

ATTRIBUTES = "HttpOnly; SameSite=Strict; Path=/api/v1/control/auth/refresh; Max-Age=2592000"
BY_COOKIE = {"x-service-session": "cookie"}
REFRESH = "/control/auth/refresh"


class Tab:
    """A page of a browser: sends its cookie as a browser would, and keeps the one that it gets."""

    def __init__(self, server, name: str | None = None):
        self.server = server
        self.name = name or f"mb_refresh_{server.port}"
        self.cookie: str | None = None

    def post(self, path, body, *, headers=None, cookies: str | None = None, by_cookie=True, **more):
        """`cookies`: the header in place of the tab's own cookie."""
        sent = dict(BY_COOKIE) if by_cookie else {}
        own = f"other=1; {self.name}={self.cookie}" if self.cookie is not None else None
        if path == REFRESH and (cookies is not None or own is not None):
            sent["cookie"] = own if cookies is None else cookies
        response = Api(self.server).post(path, body, headers={**sent, **(headers or {})}, **more)
        self.server.http.cookies.clear()  # no request gets a cookie that its test did not name
        set_cookies = response.headers.get_list("set-cookie")
        assert len(set_cookies) <= 1
        if set_cookies:
            name, _, rest = set_cookies[0].partition("=")
            self.cookie, _, attributes = rest.partition("; ")
            assert (name, attributes) == (self.name, ATTRIBUTES)
            assert self.cookie not in response.text
        return response

    def login(self, user) -> dict:
        body = ok(self.post("/control/auth/login", {"email": user.email, "password": PASSWORD}))
        assert set(body) == {"accessToken", "expiresIn", "user"} and self.cookie
        return body

    def refresh(self, **more):
        return self.post(REFRESH, {}, **more)

    def move(self, token: str, **more):
        return self.post(REFRESH, {"refreshToken": token}, **more)


@pytest.fixture
def user(server, owner):
    return PlatformUser(server)


@pytest.fixture
def tab(server, user):
    tab = Tab(server)
    tab.session = tab.login(user)
    return tab


def test_a_session_in_a_cookie(server, tab):
    first = tab.cookie
    for _ in range(2):
        body = ok(tab.refresh())
        assert set(body) == {"accessToken", "expiresIn"}
        assert tab.cookie == first
    (session,) = [one for one in ok(Api(server, body["accessToken"]).get("/control/auth/sessions"))["sessions"]
                  if one["current"]]
    assert set(session) == {"id", "createdAt", "lastUsedAt", "expiresAt", "userAgent", "ip", "current"}


def test_revoking_the_current_session_clears_the_cookie(server, user, tab):
    other = Tab(server)
    other_api = Api(server, other.login(user)["accessToken"])
    api = Api(server, tab.session["accessToken"])

    def revoke(of, by):
        (mine,) = [one["id"] for one in ok(of.get("/control/auth/sessions"))["sessions"] if one["current"]]
        response = by.delete(f"/control/auth/sessions/{mine}")
        server.http.cookies.clear()
        ok(response, 204)
        return response.headers.get("set-cookie")

    assert revoke(other_api, api) is None
    refused(other.refresh(), 401, "UNAUTHENTICATED")
    cleared = revoke(api, api)
    assert cleared == f"{tab.name}=; " + ATTRIBUTES.replace("2592000", "0")
    refused(tab.refresh(), 401, "UNAUTHENTICATED")
    # A session whose token was in a body has no cookie to clear.
    assert revoke(user, user) is None


def test_the_second_factor(server, user):
    enrollment = ok(user.post("/control/auth/mfa/totp/enroll"))
    code = pyotp.TOTP(enrollment["secret"]).at(time.time() - 30)
    recovery = ok(user.post("/control/auth/mfa/totp/activate", {"code": code}))["recoveryCodes"]
    tab = Tab(server)
    body = ok(tab.post("/control/auth/login", {"email": user.email, "password": PASSWORD}))
    assert set(body) == {"mfaRequired", "mfaToken"} and tab.cookie is None
    factor = {"mfaToken": body["mfaToken"], "code": recovery[0]}
    # A refused header uses up neither the token nor the code.
    refused(tab.post("/control/auth/mfa/verify", factor, headers={"origin": "https://evil.example"}), 403, "FORBIDDEN")
    refused(tab.post("/control/auth/mfa/verify", factor, headers={"x-service-session": "yes"}), 400, "VALIDATION")
    assert set(ok(tab.post("/control/auth/mfa/verify", factor))) == {"accessToken", "expiresIn", "user"}
    ok(tab.refresh())


# ---- moving a token


def test_moving_a_token_into_the_cookie(server, user):
    first = user.tokens["refreshToken"]
    tab = Tab(server)
    assert set(ok(tab.move(first))) == {"accessToken", "expiresIn"}
    assert tab.cookie.startswith(first + ".1.")
    refused(Api(server).post(REFRESH, {"refreshToken": first}), 401, "UNAUTHENTICATED")
    again = Tab(server)
    ok(again.move(first))  # a page whose response was lost
    assert again.cookie == tab.cookie
    ok(tab.refresh())
    for nonsense in ("x", "", first + ".1.x", "y" * 9000):
        refused(Tab(server).move(nonsense), 401, "UNAUTHENTICATED")


def test_moves_in_parallel_get_one_cookie(server, user):
    tabs = [Tab(server) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for response in pool.map(lambda tab: tab.move(user.tokens["refreshToken"]), tabs):
            ok(response)
    assert len({tab.cookie for tab in tabs}) == 1
    ok(tabs[0].refresh())


def test_an_old_cookie_ends_the_session(server, owner, tab):
    first = tab.cookie
    api = Api(server, tab.session["accessToken"])
    ok(tab.move(first))
    ok(tab.move(tab.cookie))
    newest = tab.cookie
    assert len({first, newest}) == 2
    ok(api.get("/control/me"))
    refused(tab.refresh(cookies=f"{tab.name}={first}"), 401, "UNAUTHENTICATED")
    refused(tab.refresh(cookies=f"{tab.name}={newest}"), 401, "UNAUTHENTICATED")
    refused(api.get("/control/me"), 401, "UNAUTHENTICATED")


# ---- what a page of another origin, or a hostile client, may try


FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": ""},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "none"},
]


@pytest.mark.parametrize("foreign", FOREIGN, ids=str)
def test_pages_of_other_origins_are_refused(server, user, tab, foreign):
    cookie = tab.cookie
    for path, body in (
        ("/control/auth/login", {"email": user.email, "password": PASSWORD}),
        ("/control/auth/invites/accept", {"token": "x", "password": PASSWORD}),
        ("/control/auth/mfa/verify", {"mfaToken": "x", "code": "123456"}),
        (REFRESH, {}),
        (REFRESH, {"refreshToken": user.tokens["refreshToken"]}),
    ):
        response = tab.post(path, body, headers=foreign)
        refused(response, 403, "FORBIDDEN")
        assert "set-cookie" not in response.headers
    assert tab.cookie == cookie
    ok(tab.refresh())
    ok(tab.move(user.tokens["refreshToken"]))


def test_pages_of_the_own_origin_pass(server, tab):
    for host in ("127.0.0.1", "localhost", "[::1]"):
        ok(tab.refresh(headers={"origin": f"http://{host}:{server.port}", "sec-fetch-site": "same-origin"}))
    for origin in (f"http://localhost:{server.port + 1}", "http://localhost", f"https://localhost:{server.port}"):
        refused(tab.refresh(headers={"origin": origin}), 403, "FORBIDDEN")


def test_preflights_never_allow_it(make_server):
    server = make_server({"SERVICE_CORS_ORIGINS": "https://console.example"}).start()
    tab = Tab(server)
    user = PlatformUser(server)
    tab.login(user)
    for origin in ("https://evil.example", "https://console.example"):
        for path in (REFRESH, "/control/auth/login", "/auth/refresh"):
            asked = {
                "origin": origin,
                "access-control-request-method": "POST",
                "access-control-request-headers": "content-type, x-service-session",
            }
            response = Api(server).call("OPTIONS", path, headers=asked)
            assert "x-service-session" not in response.headers.get("access-control-allow-headers", "")
            assert "access-control-allow-credentials" not in response.headers
        # The origin may use the control plane, but not the cookie.
        response = tab.refresh(headers={"origin": origin})
        refused(response, 403, "FORBIDDEN")
        assert "access-control-allow-credentials" not in response.headers
    ok(tab.refresh())


def test_the_cookie_alone_does_nothing(server, tab):
    refused(tab.refresh(by_cookie=False), 400, "VALIDATION", "/refreshToken")
    refused(tab.post(REFRESH, {"refreshToken": "x"}, by_cookie=False), 401, "UNAUTHENTICATED")
    header = {"cookie": f"{tab.name}={tab.cookie}", **BY_COOKIE}
    refused(Api(server).get("/control/me", headers=header), 401, "UNAUTHENTICATED")
    refused(Api(server).post("/control/auth/logout", {}, headers=header), 400, "VALIDATION", "/refreshToken")
    refused(Api(server).post("/control/projects", {"name": "x"}, headers=header), 401, "UNAUTHENTICATED")
    ok(tab.refresh())


def test_cookies_that_are_absent_or_dead(server, tab):
    mine = tab.cookie
    refused(Tab(server).refresh(), 401, "UNAUTHENTICATED")
    for cookies in (
        "",
        "other=1",
        tab.name,
        f"{tab.name}=",
        f"{tab.name}=x",
        f"{tab.name}={mine}; {tab.name}={mine}",
        f"{tab.name}=x; {tab.name}={mine}",
        f'{tab.name}="{mine}"',
        f"{tab.name}={mine}x",
        f"{tab.name}={'x' * 8192}",
        f"{tab.name.upper()}={mine}",
        f"mb_refresh_{server.port + 1}={mine}",
        f"__Secure-mb_refresh={mine}",
        f"__Host-{tab.name}={mine}",
        f"={tab.name}={mine}",
    ):
        response = tab.refresh(cookies=cookies)
        refused(response, 401, "UNAUTHENTICATED")
        assert "set-cookie" not in response.headers, cookies
    # The cookie is found among many others, and other servers' cookies change nothing.
    ok(tab.refresh(cookies=f"mb_refresh_{server.port + 1}=x; pad={'x' * 8192}; {tab.name}={mine}"))


@pytest.mark.parametrize("value", ["", "Cookie", "body", "true", "cookie,cookie"])
def test_other_values_of_the_header(server, user, tab, value):
    for path, body in (
        ("/control/auth/login", {"email": user.email, "password": PASSWORD}),
        ("/control/auth/invites/accept", {"token": "x", "password": PASSWORD}),
        (REFRESH, {}),
    ):
        error = refused(tab.post(path, body, headers={"x-service-session": value}), 400, "VALIDATION")
        assert "x-service-session" in error["message"]
    ok(tab.refresh())


def test_end_users_have_no_cookie(server, project):
    user = project.end_user()
    body = {"email": user.email, "password": PASSWORD}
    response = project.public().post("/auth/login", body, headers=BY_COOKIE)
    assert "refreshToken" in ok(response) and "set-cookie" not in response.headers
    refused(project.public().post("/auth/refresh", {}, headers=BY_COOKIE), 400, "VALIDATION", "/refreshToken")


# ---- limits


def test_refreshes_count_per_session(server, user, tab):
    other = Tab(server)
    other.login(user)
    address = fresh_address()
    for left in range(59, -1, -1):
        response = tab.refresh(address=address)
        ok(response)
        assert response.headers["ratelimit-policy"] == '"session";q=60;w=60'
        assert response.headers["ratelimit"].startswith(f'"session";r={left};')
    response = tab.refresh()  # from another address
    refused(response, 429, "RATE_LIMITED")
    assert "set-cookie" not in response.headers
    ok(other.refresh(address=address))


def test_dead_cookies_count_per_address(server, user, tab):
    address = fresh_address()
    for _ in range(15):
        refused(Tab(server).refresh(address=address), 401)  # without a cookie
    for number in range(10):
        refused(tab.refresh(address=address, cookies=f"{tab.name}=dead{number}"), 401)
    refused(tab.refresh(address=address, cookies=f"{tab.name}=dead"), 429, "RATE_LIMITED")
    refused(Tab(server).move(user.tokens["refreshToken"], address=address), 429, "RATE_LIMITED")
    refused(Api(server).post(REFRESH, {"refreshToken": "x"}, address=address), 429, "RATE_LIMITED")
    ok(tab.refresh(address=address))
    ok(Tab(server).move(user.tokens["refreshToken"]))


# ---- other base URLs


def test_an_https_server_below_a_path(make_server):
    server = make_server({"SERVICE_BASE_URL": "https://api.example.com/back"}).start()
    user = PlatformUser(server)
    body = {"email": user.email, "password": PASSWORD}
    response = Api(server).post("/control/auth/login", body, headers=BY_COOKIE)
    ok(response)
    server.http.cookies.clear()
    name, _, rest = response.headers["set-cookie"].partition("=")
    token, _, attributes = rest.partition("; ")
    assert name == "__Secure-mb_refresh"
    assert attributes == (
        "HttpOnly; SameSite=Strict; Path=/back/api/v1/control/auth/refresh; Max-Age=2592000; Secure"
    )
    for origin, status in (
        ("https://api.example.com", 200),
        ("https://api.example.com/back", 403),
        (f"http://localhost:{server.port}", 403),
    ):
        headers = {"cookie": f"{name}={token}", "origin": origin, **BY_COOKIE}
        assert Api(server).post(REFRESH, {}, headers=headers).status_code == status, origin
        server.http.cookies.clear()
    refused(Api(server).post(REFRESH, {}, headers={"cookie": f"mb_refresh_443={token}", **BY_COOKIE}), 401)


def test_a_session_outlives_a_restart(make_server):
    server = make_server().start()
    tab = Tab(server)
    tab.login(PlatformUser(server))
    server.stop()
    server.start()
    ok(tab.refresh())
