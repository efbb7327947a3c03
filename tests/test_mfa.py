"""The second factor, with codes of an independent library, on both planes."""

import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pyotp
import pytest

from support.client import PASSWORD, PlatformUser, ok, refused


class Account:
    """A signed-in user of either plane and their authenticator app."""

    def __init__(self, api, prefix: str, project: str | None):
        self.api, self.prefix, self.project = api, prefix, project

    def path(self, rest: str) -> str:
        return self.prefix + rest

    def post(self, rest: str, body=None, **more):
        body = {} if body is None else {"json": body}
        return self.api.post(self.path(rest), **body, **more)

    def login(self) -> dict:
        body = {"email": self.api.email, "password": PASSWORD}
        return ok(self.api.post(self.path("/login"), body, token=None, project=self.project))

    def verify(self, token: str, code: str, **more):
        body = {"mfaToken": token, "code": code}
        return self.api.post(self.path("/mfa/verify"), body, token=None, project=self.project, **more)

    def enroll(self) -> dict:
        enrollment = ok(self.post("/mfa/totp/enroll"))
        self.app = pyotp.TOTP(enrollment["secret"])
        return enrollment

    def activate(self) -> list[str]:
        """Signs in with the code of the previous step, so that the current code is still unused."""
        self.enroll()
        code = self.app.at(time.time() - 30)
        self.recovery = ok(self.post("/mfa/totp/activate", {"code": code}))["recoveryCodes"]
        return self.recovery

    def code(self) -> str:
        return self.app.now()

    def wrong(self) -> str:
        near = {self.app.at(time.time() + 30 * step) for step in range(-2, 3)}
        return next(code for code in ("000000", "111111", "222222", "333333", "444444", "555555") if code not in near)


@pytest.fixture(params=["data", "control"])
def account(request, server, project):
    if request.param == "control":
        return Account(PlatformUser(server), "/control/auth", None)
    return Account(project.end_user(), "/auth", project.id)


def me(account) -> dict:
    if account.project is None:
        return ok(account.api.get("/control/me"))["user"]
    return account.login()["user"]


def test_enroll_activate_sign_in_disable(account, project):
    enrollment = account.enroll()
    url = urllib.parse.urlparse(enrollment["otpauthUrl"])
    assert (url.scheme, url.netloc) == ("otpauth", "totp")
    parsed = pyotp.parse_uri(enrollment["otpauthUrl"])
    assert parsed.name == account.api.email
    assert parsed.issuer == ("Manybase" if account.project is None else project.wire["name"])
    assert (parsed.digits, parsed.interval, parsed.secret) == (6, 30, enrollment["secret"])

    # The second factor is off before the first code.
    assert me(account)["mfaEnabled"] is False
    assert "accessToken" in account.login()

    codes = account.activate()
    assert len(set(codes)) == 10 and all(isinstance(code, str) for code in codes)
    asked = account.login()
    assert set(asked) == {"mfaRequired", "mfaToken"} and asked["mfaRequired"] is True
    answer = ok(account.verify(asked["mfaToken"], account.code()))
    assert {"accessToken", "refreshToken", "expiresIn", "user"} <= set(answer)
    assert answer["user"]["mfaEnabled"] is True

    refused(account.post("/mfa/totp/disable", {"code": account.wrong()}), 400, "VALIDATION", "/code")
    assert ok(account.post("/mfa/totp/disable", {"code": codes[0]}), 204) is None
    assert "accessToken" in account.login()


def test_a_token_counts_once_and_needs_its_own_plane_and_project(account, owner, server):
    account.activate()
    token = account.login()["mfaToken"]
    elsewhere = owner.create_project()
    refused(account.api.post("/auth/mfa/verify", {"mfaToken": token, "code": account.code()}, token=None,
                             project=elsewhere.id), 401, "UNAUTHENTICATED")
    other = "/control/auth/mfa/verify" if account.project else "/auth/mfa/verify"
    refused(account.api.post(other, {"mfaToken": token, "code": account.code()}, token=None, project=elsewhere.id),
            401, "UNAUTHENTICATED")
    for text in ("", "x", "\x00", "a" * 10_000, token[:-1]):
        refused(account.verify(text, account.code()), 401, "UNAUTHENTICATED")
    ok(account.verify(token, account.recovery[0]))
    refused(account.verify(token, account.recovery[1]), 401, "UNAUTHENTICATED")


def test_a_token_has_five_tries(account):
    account.activate()
    token = account.login()["mfaToken"]
    for _ in range(5):
        refused(account.verify(token, account.wrong()), 401, "INVALID_CREDENTIALS")
    refused(account.verify(token, account.code()), 401, "UNAUTHENTICATED")
    ok(account.verify(account.login()["mfaToken"], account.code()))


def test_a_code_counts_once(account):
    account.activate()
    code = account.code()
    ok(account.verify(account.login()["mfaToken"], code))
    refused(account.verify(account.login()["mfaToken"], code), 401, "INVALID_CREDENTIALS")


def test_the_code_of_the_activation_does_not_sign_in(account):
    account.enroll()
    code = account.code()
    ok(account.post("/mfa/totp/activate", {"code": code}))
    refused(account.verify(account.login()["mfaToken"], code), 401, "INVALID_CREDENTIALS")


def test_codes_of_other_times_do_not_count(account):
    account.activate()
    token = account.login()["mfaToken"]
    for steps in (-3, 3):
        refused(account.verify(token, account.app.at(time.time() + 30 * steps)), 401, "INVALID_CREDENTIALS")


@pytest.mark.parametrize("kind", ["totp", "recovery"])
def test_of_twenty_parallel_tries_one_wins(account, kind):
    account.activate()
    tokens = [account.login()["mfaToken"] for _ in range(10)]
    code = account.code() if kind == "totp" else account.recovery[3]
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda i: account.verify(tokens[i % 10], code), range(20)))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses.count(200) == 1, statuses
    assert set(statuses) <= {200, 401, 429}, statuses


def test_one_token_in_parallel_gives_one_session(account):
    account.activate()
    token = account.login()["mfaToken"]
    with ThreadPoolExecutor(9) as pool:
        answers = list(pool.map(lambda code: account.verify(token, code), account.recovery[:9]))
    assert [answer.status_code for answer in answers].count(200) == 1


def test_recovery_codes_are_read_as_people_type_them(account):
    first, second = account.activate()[:2]
    ok(account.verify(account.login()["mfaToken"], first.upper().replace("-", " ")))
    refused(account.verify(account.login()["mfaToken"], first), 401, "INVALID_CREDENTIALS")
    ok(account.verify(account.login()["mfaToken"], second.replace("-", "")))


def test_ten_wrong_codes_lock_the_account_whatever_the_address(account):
    account.activate()
    for _ in range(2):
        token = account.login()["mfaToken"]
        for _try in range(5):
            refused(account.verify(token, account.wrong()), 401, "INVALID_CREDENTIALS")
    refused(account.verify(account.login()["mfaToken"], account.code()), 429, "RATE_LIMITED")
    refused(account.post("/mfa/totp/disable", {"code": account.code()}), 429, "RATE_LIMITED")


def test_tries_are_counted_by_address_too(account):
    for _ in range(10):
        refused(account.verify("no token", "123456", address="192.0.2.9"), 401, "UNAUTHENTICATED")
    refused(account.verify("no token", "123456", address="192.0.2.9"), 429, "RATE_LIMITED")


def test_order_of_calls(account):
    refused(account.post("/mfa/totp/activate", {"code": "123456"}), 409, "CONFLICT")
    refused(account.post("/mfa/totp/disable", {"code": "123456"}), 409, "CONFLICT")
    first = account.enroll()["secret"]
    account.enroll()
    stale = pyotp.TOTP(first).now()
    if stale != account.code():
        refused(account.post("/mfa/totp/activate", {"code": stale}), 400, "VALIDATION", "/code")
    ok(account.post("/mfa/totp/activate", {"code": account.code()}))
    refused(account.post("/mfa/totp/enroll"), 409, "CONFLICT")
    refused(account.post("/mfa/totp/activate", {"code": account.code()}), 409, "CONFLICT")


@pytest.mark.parametrize("body", [{}, {"code": 123456}, {"code": None}, {"code": {"$ne": ""}}, {"code": "1", "x": 1}])
def test_bad_bodies(account, body):
    account.activate()
    refused(account.post("/mfa/totp/disable", body), 400, "VALIDATION")
    token = account.login()["mfaToken"]
    refused(account.post("/mfa/verify", {"mfaToken": token, **body}, token=None, project=account.project), 400)
    refused(account.post("/mfa/verify", {"mfaToken": {"$gt": ""}, "code": "1"}, token=None, project=account.project),
            400, "VALIDATION", "/mfaToken")


def test_texts_that_are_no_codes(account):
    account.activate()
    token = account.login()["mfaToken"]
    for code in ("", "\x00" * 6, "1" * 5000, "١٢٣٤٥٦"):
        refused(account.verify(token, code), 401, "INVALID_CREDENTIALS")


def test_these_calls_need_a_token(account):
    for rest in ("enroll", "activate", "disable"):
        refused(account.post(f"/mfa/totp/{rest}", {"code": "1"}, token=None), 401, "UNAUTHENTICATED")


def test_an_admin_resets_it(project, admin):
    account = Account(project.end_user(), "/auth", project.id)
    account.activate()
    waiting = account.login()["mfaToken"]
    viewer = project.member("Viewer")
    refused(viewer.post(f"/admin/users/{account.api.id}/reset-mfa"), 403, "FORBIDDEN")
    assert ok(admin.post(f"/admin/users/{account.api.id}/reset-mfa"), 204) is None
    assert account.login()["user"]["mfaEnabled"] is False
    refused(account.verify(waiting, account.code()), 401, "UNAUTHENTICATED")
    ok(admin.post(f"/admin/users/{account.api.id}/reset-mfa"), 204)
    for nobody in ("user_nobody", "x", "%00"):
        refused(admin.post(f"/admin/users/{nobody}/reset-mfa"), 404)
    account.activate()
    assert account.login()["mfaRequired"] is True


def test_a_user_blocked_during_a_sign_in_does_not_get_in(project, admin):
    account = Account(project.end_user(), "/auth", project.id)
    account.activate()
    token = account.login()["mfaToken"]
    ok(admin.post(f"/admin/users/{account.api.id}/block"), 204)
    refused(account.verify(token, account.code()), 403, "USER_BLOCKED")


def test_nothing_readable_is_stored(project, server, admin):
    account = Account(project.end_user(), "/auth", project.id)
    codes = account.activate()
    secret = account.app.secret
    for file in server.data.rglob("*"):
        if not file.is_file():
            continue
        data = file.read_bytes()
        assert secret.encode() not in data and pyotp.TOTP(secret).byte_secret() not in data, file
        assert not any(code.encode() in data or code.replace("-", "").encode() in data for code in codes), file
