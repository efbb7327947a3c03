"""The change of a password by its user, on both planes."""

import time
from concurrent.futures import ThreadPoolExecutor

import pyotp
import pytest

from support.client import PASSWORD, Api, EndUser, PlatformUser, fresh_address, ok, refused
from support.mail import Outbox

NEW = "a staple of batteries"


class Account:
    """A signed-in user of either plane."""

    def __init__(self, api: Api, prefix: str, project: str | None):
        self.api, self.prefix, self.project = api, prefix, project

    def change(self, current=PASSWORD, password=NEW, **more):
        return self.api.post(self.prefix + "/password", {"current": current, "password": password}, **more)

    def login(self, password, **more):
        body = {"email": self.api.email, "password": password}
        return self.api.post(self.prefix + "/login", body, token=None, project=self.project, **more)

    def session(self, password=PASSWORD) -> Api:
        """Another session of the user."""
        return Api(self.api.server, ok(self.login(password))["accessToken"])

    def sessions(self, api=None):
        return (api or self.api).get(self.prefix + "/sessions")


@pytest.fixture(params=["data", "control"])
def account(request, server, project):
    if request.param == "control":
        return Account(PlatformUser(server), "/control/auth", None)
    return Account(EndUser(project), "/auth", project.id)


def test_a_change_ends_the_other_sessions(account):
    other = account.session()
    refresh = account.api.tokens["refreshToken"]
    ok(account.sessions(other))
    ok(account.change(), 204)
    refused(account.sessions(other), 401, "UNAUTHENTICATED")
    [session] = ok(account.sessions())["sessions"]
    assert session["current"]
    refused(account.login(PASSWORD), 401, "INVALID_CREDENTIALS")
    ok(account.login(NEW))
    body = {"refreshToken": refresh}
    renewed = ok(account.api.post(account.prefix + "/refresh", body, token=None, project=account.project))
    ok(account.sessions(Api(account.api.server, renewed["accessToken"])))
    ok(account.change(NEW, PASSWORD), 204)
    ok(account.login(PASSWORD))


def test_a_wrong_password_changes_nothing(account):
    other = account.session()
    for wrong in ("", "wrong", PASSWORD + " ", "x" * 5000, "\u0000", NEW):
        refused(account.change(wrong), 401, "INVALID_CREDENTIALS")
    ok(account.sessions(other))
    ok(account.login(PASSWORD))


@pytest.mark.parametrize("password", ["", "short", "x" * 257, "address"])
def test_the_rules_of_passwords_hold(account, password):
    given = account.api.email.upper() if password == "address" else password
    refused(account.change(PASSWORD, given), 400, "VALIDATION", "/password")
    ok(account.login(PASSWORD))


def test_bad_bodies(account):
    path = account.prefix + "/password"
    for body, at in [
        ({"password": NEW}, "/current"),
        ({"current": PASSWORD}, "/password"),
        ({"current": {"$ne": ""}, "password": NEW}, "/current"),
        ({"current": PASSWORD, "password": None}, "/password"),
        ({"current": PASSWORD, "password": NEW, "userId": "x"}, "/userId"),
    ]:
        refused(account.api.post(path, body), 400, "VALIDATION", at)
    refused(account.api.get(path), 405)
    ok(account.login(PASSWORD))


def test_wrong_passwords_are_counted_with_failed_logins(account):
    for _ in range(10):
        refused(account.login("wrong"), 401, "INVALID_CREDENTIALS")
    for _ in range(10):
        refused(account.change("wrong"), 401, "INVALID_CREDENTIALS")
    refused(account.change(), 429, "RATE_LIMITED")
    refused(account.login(PASSWORD), 429, "RATE_LIMITED")


def test_attempts_are_limited_by_address(account):
    address = fresh_address()
    for _ in range(10):
        refused(account.change("wrong", address=address), 401)
    limited = account.change("wrong", address=address)
    refused(limited, 429, "RATE_LIMITED")
    assert limited.headers["ratelimit-policy"] == '"password";q=10;w=60'
    ok(account.change(address=fresh_address()), 204)


def test_it_needs_a_session(account, server):
    body = {"current": PASSWORD, "password": NEW}
    path = account.prefix + "/password"
    refused(Api(server, project=account.project).post(path, body), 401, "UNAUTHENTICATED")
    ok(account.api.delete(account.prefix + "/sessions"), 204)
    ended = Api(server, account.api.token)
    [session] = ok(account.sessions())["sessions"]
    ok(account.api.delete(f"{account.prefix}/sessions/{session['id']}"), 204)
    refused(ended.post(path, body), 401, "UNAUTHENTICATED")
    ok(account.login(PASSWORD))


def test_keys_and_members_have_no_password_here(project, owner):
    body = {"current": PASSWORD, "password": NEW}
    for api in (project.admin, project.api_key("admin")):
        assert api.post("/auth/password", body).status_code in (401, 403)
    refused(project.admin.post("/control/auth/password", body), 401)
    assert owner.login()


def test_of_parallel_changes_one_wins(account):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: (n, account.change(password=f"{NEW} {n}").status_code), range(8)))
    [winner] = [n for n, status in answers if status == 204]
    assert {status for _, status in answers} <= {204, 401, 409}
    ok(account.login(f"{NEW} {winner}"))


def test_users_with_a_second_factor_change_it_without_a_code(account):
    app = pyotp.TOTP(ok(account.api.post(account.prefix + "/mfa/totp/enroll"))["secret"])
    ok(account.api.post(account.prefix + "/mfa/totp/activate", {"code": app.at(time.time() - 30)}))
    under_way = ok(account.login(PASSWORD))["mfaToken"]
    ok(account.change(), 204)
    body = {"mfaToken": under_way, "code": app.now()}
    verify = account.prefix + "/mfa/verify"
    refused(account.api.post(verify, body, token=None, project=account.project), 401, "UNAUTHENTICATED")
    body["mfaToken"] = ok(account.login(NEW))["mfaToken"]
    ok(account.api.post(verify, body, token=None, project=account.project))


def test_it_is_audited_and_mailed(server, project):
    user = EndUser(project)
    account = Account(user, "/auth", project.id)
    refused(account.change("wrong"), 401)
    ok(account.change(), 204)
    entries = ok(project.admin.get("/admin/audit", params={"limit": 100}))["entries"]
    [changed] = [entry for entry in entries if entry["action"] == "user.passwordChanged" and entry["target"] == f"users/{user.id}"]
    assert changed["actor"]["id"] == user.id
    failed = [entry for entry in entries if entry["action"] == "login.failed"]
    assert any(entry["details"]["method"] == "passwordChange" for entry in failed)
    text = str(entries)
    assert PASSWORD not in text and NEW not in text
    assert any("password" in mail.subject for mail in Outbox(server.data).to(user.email, 2))
