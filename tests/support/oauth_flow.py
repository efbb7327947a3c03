"""One sign-in with a provider, step by step, and its result."""

import time
import urllib.parse

import jwt

from support.client import Api, ok
from support.oidc_provider import Browser

APP = "https://app.example.com"
BACK = APP + "/signed-in?from=test"


def set_up(project, name: str, **more) -> None:
    body = {"clientId": "shop", "clientSecret": "a-secret", "enabled": True, **more}
    ok(project.admin.put(f"/admin/auth/oauth/providers/{name}", body), 204)


def fragment(url: str) -> dict:
    return dict(urllib.parse.parse_qsl(urllib.parse.urlparse(url).fragment, keep_blank_values=True))


class Visit:
    """The steps of a browser in one sign-in, with a provider that a test plays."""

    def __init__(self, server, provider: str, project=None, redirect: str = BACK, browser: Browser | None = None):
        self.server, self.provider = server, provider
        self.browser = browser or Browser()
        plane = "auth" if project else "control/auth"
        self.base = f"{server.url}/api/v1/{plane}/oauth/{provider}"
        query = {"redirect": redirect, **({"project": project.id} if project else {})}
        # A separate address for each visit, so that limits have no effect.
        self.headers = {"x-forwarded-for": ".".join(str(time.perf_counter_ns() >> shift & 127) for shift in (24, 16, 8, 0))}
        self.started = self.browser.get(f"{self.base}/start", params=query, headers=self.headers)

    @property
    def sent(self) -> dict:
        """The parameters of the request to the provider."""
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
    fragment = came_back(url, redirect)
    assert set(fragment) == {"mb_error"}, url
    return fragment["mb_error"]


def lost(server, url: str) -> None:
    assert url == f"{server.url}/auth/login#mb_error=invalid_state", url


def signed_in(server, url: str, project=None, redirect: str = BACK) -> Api:
    fragment = came_back(url, redirect)
    assert set(fragment) == {"mb_refresh"}, url
    plane, named = ("/auth", project.id) if project else ("/control/auth", None)
    api = Api(server, project=named)
    token = ok(api.post(f"{plane}/refresh", {"refreshToken": fragment["mb_refresh"]}))["accessToken"]
    return Api(server, token)


def user_of(api: Api) -> str:
    return jwt.decode(api.token, options={"verify_signature": False})["sub"]


def github_person(github, **more) -> dict:
    number = time.time_ns() % 10**12
    github.person = {"id": number, "login": f"octo{number}", "name": "Octo"}
    github.emails = [{"email": f"octo{number}@example.com", "primary": True, "verified": True, **more}]
    return github.emails[0]


def sign_in_with(server, project, issuer, **query) -> str:
    name = "oidc-x"
    set_up(project, name, issuer=issuer.url)
    visit = Visit(server, name, project)
    issuer.nonce = visit.sent["nonce"]
    return visit.back(**query)


def soon(seconds: int) -> int:
    return int(time.time()) + seconds
