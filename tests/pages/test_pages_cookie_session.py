"""A platform user's session in a real browser: the cookie is out of the reach of scripts and of other origins."""

import re

import pytest

from support.client import PASSWORD, PlatformUser

SEND = """async ([path, body, headers]) => {
  const response = await fetch("/api/v1" + path, {
    method: "POST", headers: {"content-type": "application/json", ...headers}, body: JSON.stringify(body)});
  return {status: response.status, body: await response.json(), cookies: document.cookie};
}"""
# Without the header, which needs a preflight, a page of another origin may send a request, and not read the response.
SEND_FROM_ELSEWHERE = """async ([server, headers]) => {
  const options = {method: "POST", credentials: "include", headers, body: "{}"};
  try {
    const response = await fetch(server + "/api/v1/control/auth/refresh", options);
    return "read " + response.status;
  } catch (error) {
    return "blocked";
  }
}"""
BY_COOKIE = {"x-service-session": "cookie"}
# Chromium's log lines for a request that CORS blocks.
BLOCKED = re.compile("blocked by CORS policy|net::ERR_FAILED")
REFRESH = "/control/auth/refresh"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_browser_holds_the_session(server, owner, visitor, host):
    user = PlatformUser(server)
    page, url = visitor.page, f"http://{host}:{server.port}/auth/login?plane=control"
    page.goto(url)
    body = {"email": user.email, "password": PASSWORD}
    signed_in = page.evaluate(SEND, ["/control/auth/login", body, BY_COOKIE])
    assert signed_in["status"] == 200 and "refreshToken" not in signed_in["body"]
    assert signed_in["cookies"] == ""
    (cookie,) = visitor.context.cookies()
    assert cookie["name"] == f"mb_refresh_{server.port}" and cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    page.goto(url)
    refreshed = page.evaluate(SEND, [REFRESH, {}, BY_COOKIE])
    assert refreshed["status"] == 200 and set(refreshed["body"]) == {"accessToken", "expiresIn"}
    assert page.evaluate(SEND, [REFRESH, {}, {}])["status"] == 400


def test_other_origins_do_not_reach_it(server, owner, visitor, app):
    user = PlatformUser(server)
    page = visitor.page
    page.goto(server.url + "/auth/login?plane=control")
    body = {"email": user.email, "password": PASSWORD}
    assert page.evaluate(SEND, ["/control/auth/login", body, BY_COOKIE])["status"] == 200
    visitor.tolerated.append(BLOCKED)
    page.goto(app)
    for headers in ({}, {"content-type": "text/plain"}, {"content-type": "application/json", **BY_COOKIE}):
        assert page.evaluate(SEND_FROM_ELSEWHERE, [server.url, headers]) == "blocked"
    page.goto(server.url + "/auth/login?plane=control")
    assert page.evaluate(SEND, [REFRESH, {}, BY_COOKIE])["status"] == 200
