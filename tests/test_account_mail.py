"""Verification of addresses and resets of passwords, by mail, on both planes."""

import base64
import re
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pyotp
import pytest

from support.client import PASSWORD, Api, EndUser, PlatformUser, fresh_address, ok, refused, unique
from support.mail import MailCatcher, Outbox

NEW_PASSWORD = "a staple of batteries"


@pytest.fixture(scope="module")
def server_settings(mails):
    return mails.settings


class Plane:
    """The auth routes of one plane, called without a token."""

    def __init__(self, server, mails, project=None):
        self.server, self.mails, self.project = server, mails, project
        self.prefix = "/auth" if project else "/control/auth"
        self.api = Api(server, project=project.id if project else None)

    def post(self, path, body, **more):
        return self.api.post(self.prefix + path, body, **more)

    def register(self, email=None, **more) -> str:
        email = email or f"{unique('mail')}@example.com"
        ok(self.post("/register", {"email": email, "password": PASSWORD, **more}), 201)
        return email

    def login(self, email, password=PASSWORD) -> dict:
        return ok(self.post("/login", {"email": email, "password": password}))

    def refused_login(self, email, password, code="INVALID_CREDENTIALS"):
        return refused(self.post("/login", {"email": email, "password": password}), None or 401, code)

    def token(self, email, count, page) -> str:
        """Returns the token in the last mail whose link leads to `page`, of at least `count` mails to the address."""
        link = urlsplit(self.mails.leading_to(page, email, count).link)
        assert f"{link.scheme}://{link.netloc}" == self.server.url
        query = parse_qs(link.query)
        if self.project:
            assert set(query) == {"token", "project"} and query["project"] == [self.project.id]
        else:
            assert set(query) == {"token", "plane"} and query["plane"] == ["control"]
        return query["token"][0]

    def verification(self, email, count=1) -> str:
        return self.token(email, count, "/verify-email")

    def deliver(self) -> None:
        """Waits until all mails that were requested before have had their time: that of a new registration arrives."""
        self.mails.to(self.register())

    def reset_token(self, email, count=2) -> str:
        ok(self.post("/password-reset/request", {"email": email}), 204)
        return self.token(email, count, "/reset-password")


@pytest.fixture(scope="module", params=["project", "control"])
def plane(request, server, owner, project, mails):
    return Plane(server, mails, project if request.param == "project" else None)


def test_registration_sends_a_link_that_verifies(plane):
    email = plane.register(f"Mail{unique()}@Example.com")
    mail = plane.mails.to(email)[0]
    assert "Confirm" in mail.subject and mail.text and mail.html
    token = plane.verification(email)
    assert plane.login(email)["user"]["emailVerified"] is False
    ok(plane.post("/verify-email", {"token": token}), 204)
    assert plane.login(email)["user"]["emailVerified"] is True
    refused(plane.post("/verify-email", {"token": token}), 400, "VALIDATION", "/token")


def test_a_newer_link_ends_the_older(plane):
    email = plane.register()
    first = plane.verification(email)
    ok(plane.post("/verify-email/request", {"email": email.upper()}), 204)
    second = plane.verification(email, 2)
    refused(plane.post("/verify-email", {"token": first}), 400, "VALIDATION", "/token")
    ok(plane.post("/verify-email", {"token": second}), 204)


def test_a_reset_sets_the_password_and_ends_all_sessions(plane):
    email = plane.register()
    session = plane.login(email)
    own = Api(plane.server, session["accessToken"])
    ok(own.get(plane.prefix + "/sessions"))
    token = plane.reset_token(email)
    refused(plane.post("/password-reset", {"token": token, "password": "short"}), 400, "VALIDATION", "/password")
    refused(plane.post("/password-reset", {"token": token, "password": email}), 400, "VALIDATION", "/password")
    ok(plane.post("/password-reset", {"token": token, "password": NEW_PASSWORD}), 204)
    refused(own.get(plane.prefix + "/sessions"), 401, "UNAUTHENTICATED")
    refused(plane.post("/refresh", {"refreshToken": session["refreshToken"]}), 401)
    refused(plane.post("/login", {"email": email, "password": PASSWORD}), 401, "INVALID_CREDENTIALS")
    again = plane.login(email, NEW_PASSWORD)
    assert again["user"]["emailVerified"] is True
    ok(Api(plane.server, again["accessToken"]).get(plane.prefix + "/sessions"))
    refused(plane.post("/password-reset", {"token": token, "password": PASSWORD}), 400, "VALIDATION", "/token")
    assert any("changed" in mail.subject for mail in plane.mails.to(email, 3))


@pytest.mark.parametrize("proof", ["verification", "reset"])
def test_a_second_factor_needs_a_verified_address(plane, proof):
    email = plane.register()
    own = Api(plane.server, plane.login(email)["accessToken"])
    refused(own.post(plane.prefix + "/mfa/totp/enroll"), 403, "EMAIL_UNVERIFIED")
    assert plane.login(email)["user"]["emailVerified"] is False
    if proof == "verification":
        ok(plane.post("/verify-email", {"token": plane.verification(email)}), 204)
    else:
        ok(plane.post("/password-reset", {"token": plane.reset_token(email), "password": PASSWORD}), 204)
        own = Api(plane.server, plane.login(email)["accessToken"])
    app = pyotp.TOTP(ok(own.post(plane.prefix + "/mfa/totp/enroll"))["secret"])
    ok(own.post(plane.prefix + "/mfa/totp/activate", {"code": app.at(time.time() - 30)}))
    pending = plane.login(email)
    assert pending["mfaRequired"] is True and "accessToken" not in pending
    ok(plane.post("/mfa/verify", {"mfaToken": pending["mfaToken"], "code": app.now()}))


@pytest.mark.parametrize("path", ["/verify-email/request", "/password-reset/request"])
@pytest.mark.parametrize("email", ["nobody@example.com", "", "no address", "a\u0000b@example.com", "x" * 100_000])
def test_requests_do_not_show_who_is_registered(plane, path, email):
    known = plane.register()
    plane.mails.to(known)
    addresses = {mail.to for mail in plane.mails.mails}
    ok(plane.post(path, {"email": email}), 204)
    ok(plane.post(path, {"email": known}), 204)
    plane.mails.to(known, 2)
    assert {mail.to for mail in plane.mails.mails} == addresses


@pytest.mark.parametrize("body", [{}, {"email": None}, {"email": 1}, {"email": "a@example.com", "more": 1}, [], "x"])
def test_requests_with_wrong_fields(plane, body):
    refused(plane.post("/password-reset/request", body), 400)


def test_tokens_that_are_none(plane, mails, server, owner, project):
    email = plane.register()
    token = plane.reset_token(email)
    other = Plane(server, mails, None if plane.project else project)
    elsewhere = Plane(server, mails, owner.create_project())
    verification = plane.verification(email)
    body = {"password": NEW_PASSWORD}
    for who in (other, elsewhere):
        refused(who.post("/password-reset", {"token": token, **body}), 400, "VALIDATION", "/token")
    swapped = token.split(".")[0] + "." + base64.urlsafe_b64encode(b"x" * 32).decode().rstrip("=")
    for bad in (verification, swapped, token[:-1], token + "x", "", ".", "\u0000", token + "\u0000", "x" * 500_000):
        refused(plane.post("/password-reset", {"token": bad, **body}), 400, "VALIDATION", "/token")
    refused(plane.post("/verify-email", {"token": token}), 400, "VALIDATION", "/token")
    for bad in (None, 1, [token], {"$ne": ""}):
        refused(plane.post("/verify-email", {"token": bad}), 400)
    ok(plane.post("/password-reset", {"token": token, **body}), 204)


def test_of_parallel_tries_one_wins(plane):
    email = plane.register()
    token = plane.reset_token(email)
    passwords = [f"password number {i}" for i in range(20)]
    with ThreadPoolExecutor(20) as pool:
        answers = list(
            pool.map(lambda word: plane.post("/password-reset", {"token": token, "password": word}), passwords)
        )
    won = [word for word, answer in zip(passwords, answers, strict=True) if answer.status_code == 204]
    assert len(won) == 1
    for answer in answers:
        if answer.status_code != 204:
            refused(answer, 400, "VALIDATION", "/token")
    plane.login(email, won[0])


def test_links_never_follow_the_request(plane):
    email = plane.register()
    forged = {"host": "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https"}
    ok(plane.post("/password-reset/request", {"email": email}, headers=forged), 204)
    mail = plane.mails.leading_to("/reset-password", email, 2)
    assert mail.link.startswith(plane.server.url + "/")
    assert "evil" not in mail.text + mail.html


def test_an_address_gets_a_bounded_number_of_mails(plane):
    email = plane.register()
    for _ in range(12):
        ok(plane.post("/password-reset/request", {"email": email}), 204)
    plane.mails.to(email, 6)
    plane.deliver()
    assert len(plane.mails.to(email)) == 6  # the mail of the registration, and five


def test_requests_are_limited(plane):
    address = fresh_address()
    for left in range(9, -1, -1):
        answer = plane.post("/password-reset/request", {"email": "nobody@example.com"}, address=address)
        ok(answer, 204)
        assert answer.headers["ratelimit-policy"] == '"password-reset";q=10;w=60'
        assert re.fullmatch(rf'"password-reset";r={left};t=\d+', answer.headers["ratelimit"])
    # Using a link counts as the same action.
    answer = plane.post("/password-reset", {"token": "x", "password": NEW_PASSWORD}, address=address)
    refused(answer, 429, "RATE_LIMITED")
    assert answer.headers["ratelimit"].startswith('"password-reset";r=0;t=')
    refused(plane.post("/verify-email", {"token": "x"}, address=address), 400)


def test_who_tries_names_of_projects_is_limited_too(server, owner):
    address, api = fresh_address(), Api(server)
    for number in range(10):
        body = {"email": "a@example.com", "password": "x"}
        answer = api.post("/auth/login", body, project=f"no-such-{number}", address=address)
        refused(answer, 404, "NOT_FOUND")
    refused(api.post("/auth/login", body, project="no-such-11", address=address), 429, "RATE_LIMITED")


@pytest.mark.parametrize("move", ["block", "deactivate"])
def test_who_is_not_active_uses_no_link(server, project, mails, move):
    plane = Plane(server, mails, project)
    user = EndUser(project)
    token = plane.reset_token(user.email)
    ok(project.admin.post(f"/admin/users/{user.id}/{move}"), 204)
    refused(plane.post("/password-reset", {"token": token, "password": NEW_PASSWORD}), 400, "VALIDATION", "/token")
    ok(project.admin.post(f"/admin/users/{user.id}/activate"), 204)
    ok(plane.post("/password-reset", {"token": token, "password": NEW_PASSWORD}), 204)


@pytest.mark.parametrize("move", ["block", "deactivate"])
def test_who_is_not_active_gets_no_link(server, project, mails, move):
    plane = Plane(server, mails, project)
    user = EndUser(project)
    assert len(mails.to(user.email)) == 1
    ok(project.admin.post(f"/admin/users/{user.id}/{move}"), 204)
    ok(plane.post("/password-reset/request", {"email": user.email}), 204)
    plane.deliver()
    assert len(mails.to(user.email)) == 1


def test_a_changed_address_ends_its_links(server, project, mails):
    plane = Plane(server, mails, project)
    user = EndUser(project)
    token = plane.verification(user.email)
    ok(plane.post("/verify-email", {"token": token}), 204)
    reset = plane.reset_token(user.email)
    new = f"{unique('new')}@example.com"
    ok(project.admin.patch(f"/admin/users/{user.id}", {"email": new}), 204)
    assert ok(project.admin.get(f"/admin/users/{user.id}"))["user"]["emailVerified"] is False
    refused(plane.post("/password-reset", {"token": reset, "password": NEW_PASSWORD}), 400, "VALIDATION", "/token")


def test_hidden_registration(server, owner, mails):
    project = owner.create_project()
    ok(owner.patch(f"/control/projects/{project.id}", {"settings": {"hideRegistered": True}}), 204)
    plane = Plane(server, mails, project)
    email = f"{unique('hidden')}@example.com"
    body = {"email": email, "password": PASSWORD}
    first = ok(plane.post("/register", body), 201)["user"]
    again = ok(plane.post("/register", {**body, "password": "some other words"}), 201)["user"]
    assert set(first) == set(again) and first["id"] != again["id"]
    assert any("already have an account" in mail.text for mail in mails.to(email, 2))
    plane.login(email)
    refused(plane.post("/login", {"email": email, "password": "some other words"}), 401)


def test_metadata_is_not_for_users_to_write(project):
    for extra in ({"metadata": {"role": "editor"}}, {"emailVerified": True}, {"status": "active"}, {"id": "user_x"}):
        body = {"email": f"{unique('m')}@example.com", "password": PASSWORD, **extra}
        refused(project.public().post("/auth/register", body), 400, "VALIDATION")


# ---- invites


def members(owner, project) -> dict:
    rows = ok(owner.get(f"/control/projects/{project.id}/members"))["members"]
    return {row["email"]: row["status"] for row in rows}


def test_an_invite_waits_for_verification(server, owner, mails):
    project = owner.create_project()
    email = f"{unique('invited')}@example.com"
    made = ok(owner.post(f"/control/projects/{project.id}/members", {"email": email, "role": "Viewer"}), 201)["member"]
    assert made["status"] == "pending"
    mail = mails.to(email)[0]
    assert "Invitation" in mail.subject and owner.email in mail.text
    # A registration without the mail's link does not make a member.
    guest = PlatformUser(server, email)
    assert members(owner, project)[email] == "pending"
    refused(guest.post(f"/control/projects/{project.id}/token"), 404)
    token = Plane(server, mails).verification(email, 2)
    ok(guest.post("/control/auth/verify-email", {"token": token}, token=None), 204)
    assert members(owner, project)[email] == "active"
    # Verifying the address accepts the invitation, and ends all access of the registration before it.
    plane = taken_over(server, mails, guest, 3)
    member = Api(server, plane.login(email, NEW_PASSWORD)["accessToken"])
    ok(member.post(f"/control/projects/{project.id}/token"))


def taken_over(server, mails, guest, count) -> Plane:
    """Checks that `guest` has lost all access, and that the mail with a link for a new password was sent and works."""
    plane = Plane(server, mails)
    refused(guest.get("/control/me"), 401, "UNAUTHENTICATED")
    refused(guest.post("/control/auth/refresh", {"refreshToken": guest.tokens["refreshToken"]}, token=None), 401)
    refused(plane.post("/login", {"email": guest.email, "password": PASSWORD}), 401, "INVALID_CREDENTIALS")
    token = plane.token(guest.email, count, "/reset-password")
    ok(plane.post("/password-reset", {"token": token, "password": NEW_PASSWORD}), 204)
    return plane


def test_accepting_an_invitation_in_a_browser(server, owner, mails):
    plane, email = Plane(server, mails), f"{unique('invited')}@example.com"
    ok(owner.post(f"/control/projects/{owner.create_project().id}/members", {"email": email, "role": "Viewer"}), 201)
    link = urlsplit(next(mail for mail in mails.to(email, 1) if "Invitation" in mail.subject).link)
    body = {"token": parse_qs(link.query)["invite"][0], "password": NEW_PASSWORD}
    asked = {"x-service-session": "cookie"}
    refused(plane.post("/invites/accept", body, headers={**asked, "origin": "https://evil.example"}), 403, "FORBIDDEN")
    response = plane.post("/invites/accept", body, headers=asked)
    server.http.cookies.clear()
    assert set(ok(response)) == {"accessToken", "expiresIn", "user"}
    cookie = response.headers["set-cookie"].partition(";")[0]
    ok(plane.post("/refresh", {}, headers={"cookie": cookie, **asked}))
    server.http.cookies.clear()


def test_accepting_an_invitation_registers_or_takes_over(server, owner, mails):
    plane = Plane(server, mails)
    squatter = PlatformUser(server)
    for email in (f"{unique('invited')}@example.com", squatter.email):
        project = owner.create_project()
        ok(owner.post(f"/control/projects/{project.id}/members", {"email": email, "role": "Viewer"}), 201)
        link = urlsplit(next(mail for mail in mails.to(email, 2 if email == squatter.email else 1)
                             if "Invitation" in mail.subject).link)
        token = parse_qs(link.query)["invite"][0]
        body = {"token": token, "password": NEW_PASSWORD, "name": "Eve"}
        refused(plane.post("/invites/accept", {**body, "password": "short"}), 400, "VALIDATION", "/password")
        refused(plane.post("/invites/accept", {**body, "token": token + "x"}), 400, "VALIDATION", "/token")
        answer = ok(plane.post("/invites/accept", body))
        assert {"accessToken", "refreshToken", "expiresIn", "user"} == set(answer)
        assert answer["user"]["emailVerified"] is True and answer["user"]["name"] == "Eve"
        assert members(owner, project)[email] == "active"
        ok(Api(server, answer["accessToken"]).post(f"/control/projects/{project.id}/token"))
        refused(plane.post("/invites/accept", body), 400, "VALIDATION", "/token")
        plane.login(email, NEW_PASSWORD)
    refused(squatter.get("/control/me"), 401, "UNAUTHENTICATED")
    refused(plane.post("/login", {"email": squatter.email, "password": PASSWORD}), 401, "INVALID_CREDENTIALS")


def test_an_invitation_to_a_verified_account_takes_nothing_over(server, owner, mails):
    plane = Plane(server, mails)
    guest = PlatformUser(server)
    project = owner.create_project()
    ok(owner.post(f"/control/projects/{project.id}/members", {"email": guest.email, "role": "Viewer"}), 201)
    invite = next(mail for mail in mails.to(guest.email, 3) if "Invitation" in mail.subject)
    token = parse_qs(urlsplit(invite.link).query)["invite"][0]
    ok(guest.post("/control/auth/verify-email", {"token": plane.verification(guest.email, 3)}, token=None), 204)
    plane = taken_over(server, mails, guest, 4)
    refused(plane.post("/invites/accept", {"token": token, "password": PASSWORD}), 400, "VALIDATION", "/token")
    plane.login(guest.email, NEW_PASSWORD)


def test_the_link_of_an_invite_verifies_the_address(server, owner, mails):
    project = owner.create_project()
    email = f"{unique('invited')}@example.com"
    ok(owner.post(f"/control/projects/{project.id}/members", {"email": email, "role": "Viewer"}), 201)
    link = urlsplit(mails.to(email)[0].link)
    query = parse_qs(link.query)
    assert link.path == "/auth/login" and query["plane"] == ["control"]
    stranger = Plane(server, mails)
    other = f"{unique('other')}@example.com"
    body = {"password": PASSWORD, "invite": query["invite"][0]}
    assert ok(stranger.post("/register", {"email": other, **body}), 201)["user"]["emailVerified"] is False
    user = ok(stranger.post("/register", {"email": email, **body}), 201)["user"]
    assert user["emailVerified"] is True
    assert members(owner, project)[email] == "active" and other not in members(owner, project)
    stranger.deliver()
    assert len(mails.to(email)) == 1  # no mail for verification


def test_an_unverified_account_is_invited(server, owner, mails):
    project = owner.create_project()
    guest = PlatformUser(server)
    mails.to(guest.email)  # the mail of the registration
    row = ok(owner.post(f"/control/projects/{project.id}/members", {"email": guest.email, "role": "Viewer"}), 201)
    assert row["member"]["status"] == "pending"
    token = Plane(server, mails).verification(guest.email, 3)
    ok(guest.post("/control/auth/verify-email", {"token": token}, token=None), 204)
    assert members(owner, project)[guest.email] == "active"
    taken_over(server, mails, guest, 4)
    # From now on the account becomes a member at once, and is mailed.
    second = owner.create_project()
    row = ok(owner.post(f"/control/projects/{second.id}/members", {"email": guest.email, "role": "Viewer"}), 201)
    assert row["member"]["status"] == "active"
    assert any("member of" in mail.subject for mail in mails.to(guest.email, 6))


def test_an_invitation_is_accepted_where_only_invited_addresses_register(make_server, tmp_path):
    with MailCatcher(tmp_path) as catcher:
        server = make_server({"SERVICE_CONTROL_REGISTRATION": "invited", **catcher.settings}).start()
        owner = PlatformUser(server)
        project = owner.create_project()
        email = f"{unique('invited')}@example.com"
        ok(owner.post(f"/control/projects/{project.id}/members", {"email": email, "role": "Viewer"}), 201)
        token = parse_qs(urlsplit(catcher.to(email)[0].link).query)["invite"][0]
        plane = Plane(server, catcher)
        body = {"token": token, "password": PASSWORD}
        ok(plane.post("/invites/accept", body))
        assert members(owner, project)[email] == "active"
        refused(plane.post("/invites/accept", body), 400, "VALIDATION", "/token")
        other = {"email": f"{unique('other')}@example.com", "password": PASSWORD, "invite": token}
        refused(plane.post("/register", other), 403, "FORBIDDEN")


def test_operators_verify_their_address(make_server, tmp_path):
    with MailCatcher(tmp_path) as catcher:
        server = make_server({"SERVICE_OPERATORS": "boss@example.com", **catcher.settings}).start()
        PlatformUser(server)
        boss = PlatformUser(server, "boss@example.com")
        assert ok(boss.get("/control/me"))["user"]["platformRole"] == "user"
        token = Plane(server, catcher).verification("boss@example.com")
        ok(boss.post("/control/auth/verify-email", {"token": token}, token=None), 204)
        # An address in the settings counts as invited.
        plane = taken_over(server, catcher, boss, 2)
        assert plane.login(boss.email, NEW_PASSWORD)["user"]["platformRole"] == "super-admin"
        assert "no mail service" not in server.log()


# ---- delivery


@pytest.mark.parametrize(("tls", "login"), [("starttls", ("sender", "s3cr3t")), ("implicit", None)])
def test_with_tls_and_credentials(make_server, tmp_path, tls, login):
    with MailCatcher(tmp_path, tls=tls, login=login) as catcher:
        server = make_server(catcher.settings).start()
        user = PlatformUser(server)
        mail = catcher.to(user.email)[0]
        assert mail.encrypted and mail.login == (login[0] if login else "")
        token = Plane(server, catcher).verification(user.email)
        ok(user.post("/control/auth/verify-email", {"token": token}, token=None), 204)


def test_without_a_mail_server_mails_stay_in_the_outbox(make_server):
    server = make_server().start()
    server.logged("no mail service")
    owner = PlatformUser(server)
    outbox = Outbox(server.data)
    project = owner.create_project()
    guest = f"{unique('guest')}@example.com"
    ok(owner.post(f"/control/projects/{project.id}/members", {"email": guest, "role": "Viewer"}), 201)
    # Addresses cannot be verified, so the registration makes a member.
    PlatformUser(server, guest)
    assert members(owner, project)[guest] == "active"
    plane = Plane(server, outbox, None)
    token = plane.verification(owner.email)
    ok(plane.post("/verify-email", {"token": token}), 204)
    reset = plane.reset_token(owner.email)
    ok(plane.post("/password-reset", {"token": reset, "password": NEW_PASSWORD}), 204)
    plane.login(owner.email, NEW_PASSWORD)


def test_mails_outlive_a_kill(make_server, tmp_path):
    with MailCatcher(tmp_path) as catcher:
        settings = catcher.settings
    # No server listens on the port: mails wait.
    server = make_server(settings).start()
    user = PlatformUser(server)
    server.kill()
    server.settings.pop("SERVICE_SMTP_URL")
    server.start()
    assert Outbox(server.data).to(user.email)[0].link.startswith(server.url + "/verify-email")
