"""Operators of a deployment, and their routes."""

from urllib.parse import quote

import pytest

from support.client import Api, PlatformUser, ok, refused, unique
from support.mail import MailCatcher, Outbox

OPERATORS = "/control/admin/operators"
ROUTES = [
    ("GET", "/control/admin/users", None),
    ("GET", OPERATORS, None),
    ("POST", OPERATORS, {"email": "somebody@example.com"}),
    ("DELETE", f"{OPERATORS}/somebody%40example.com", None),
    ("POST", "/control/admin/users/user_00000000000000000000/plan", {"plan": "pro"}),
    ("PUT", "/control/admin/users/user_00000000000000000000/limits", {"limits": {}}),
    ("DELETE", "/control/admin/users/user_00000000000000000000/limits", None),
    ("GET", "/control/admin/plans", None),
    ("PATCH", "/control/admin/plans/pro", {"name": "x"}),
    ("GET", "/control/admin/cost-model", None),
    ("PUT", "/control/admin/cost-model", {}),
    ("GET", "/control/admin/costs", None),
]


def call(api, method, path, body):
    return api.call(method, path, **({} if body is None else {"json": body}))


def listed(boss) -> list[tuple]:
    items = ok(boss.get(OPERATORS))["operators"]
    assert all(set(item) == {"email", "userId", "status"} for item in items)
    assert all((item["userId"] is None) == (item["status"] == "pending") for item in items)
    return [(item["email"], item["status"]) for item in items]


@pytest.fixture(scope="module")
def run_by_operators(tmp_path_factory):
    from support.server import Server

    server = Server(tmp_path_factory.mktemp("operators"), {"SERVICE_OPERATORS": "named@example.com, on"}).start()
    yield server, PlatformUser(server)
    server.stop()


def test_closed_without_the_setting(server, owner):
    assert owner.user["platformRole"] == "super-admin"
    for method, path, body in ROUTES:
        refused(call(owner, method, path, body), 404, "NOT_FOUND")
        refused(call(PlatformUser(server), method, path, body), 404, "NOT_FOUND")


def test_for_super_admins_only(run_by_operators):
    server, boss = run_by_operators
    user = PlatformUser(server)
    project = user.create_project()
    for method, path, body in ROUTES:
        refused(call(user, method, path, body), 403, "FORBIDDEN")
        for token in (None, project.admin.token, project.api_key("admin").token):
            refused(call(Api(server, token), method, path, body), 401, "UNAUTHENTICATED")


def test_billing_is_off(run_by_operators):
    _, boss = run_by_operators
    for method, path, body in ROUTES[4:]:
        error = refused(call(boss, method, path, body), 404, "NOT_FOUND")
        assert error["message"] == "billing is not enabled on this deployment"


def test_billing_is_off_for_users(server, owner):
    refused(owner.get("/control/billing"), 404, "NOT_FOUND")
    for path in ("/control/billing/checkout", "/control/billing/portal"):
        refused(owner.post(path, {"plan": "pro"}), 400, "BILLING_DISABLED")
        refused(owner.post(path), 400, "BILLING_DISABLED")
        refused(Api(server).post(path), 401, "UNAUTHENTICATED")


def test_users_are_listed(run_by_operators):
    server, boss = run_by_operators
    people = [PlatformUser(server) for _ in range(3)]
    users = ok(boss.get("/control/admin/users", params={"limit": 1000}))["users"]
    assert users[0]["id"] == boss.id and [user["id"] for user in users[-3:]] == [person.id for person in people]
    assert users[0] == ok(boss.get("/control/me"))["user"]
    assert all("passwordHash" not in user and "emailKey" not in user for user in users)
    page = ok(boss.get("/control/admin/users", params={"limit": 1, "skip": len(users) - 1}))["users"]
    assert page == users[-1:]
    assert ok(boss.get("/control/admin/users", params={"limit": 0}))["users"] == []
    for params in ({"limit": "-1"}, {"limit": "x"}, {"skip": "1.5"}, {"limit": ""}):
        refused(boss.get("/control/admin/users", params=params), 400, "INVALID_PARAM")


def test_an_invite_is_taken_up_at_registration(run_by_operators):
    server, boss = run_by_operators
    email = f"{unique('Boss')}@example.com"
    invited = ok(boss.post(OPERATORS, {"email": f" {email} "}), 201)["operator"]
    assert invited == {"email": email.lower(), "userId": None, "status": "pending"}
    assert ok(boss.post(OPERATORS, {"email": email.upper()}), 201)["operator"] == invited
    assert [one for one in listed(boss) if one[0] == email.lower()] == [(email.lower(), "pending")]
    mail, _ = Outbox(server.data).to(email.lower(), 2)  # the same invitation twice
    assert "Invitation" in mail.subject and boss.email in mail.text and mail.link.startswith(server.url)

    user = PlatformUser(server, email=email)
    assert user.user["platformRole"] == "super-admin"
    assert (email, "active") in listed(boss) and listed(user) == listed(boss)
    refused(boss.post(OPERATORS, {"email": email}), 409, "CONFLICT")
    refused(boss.delete(f"{OPERATORS}/{quote(email)}"), 404, "NOT_FOUND")
    actions = [entry["action"] for entry in ok(boss.get("/control/audit"))["entries"]]
    assert "operator.invited" in actions and "operator.added" in actions


def test_an_account_becomes_one_at_once(run_by_operators):
    server, boss = run_by_operators
    user = PlatformUser(server)
    refused(user.get(OPERATORS), 403)
    added = ok(boss.post(OPERATORS, {"email": user.email.upper()}), 201)["operator"]
    assert added == {"email": user.email, "userId": user.id, "status": "active"}
    assert (user.email, "active") in listed(user)
    assert ok(user.get("/control/me"))["user"]["platformRole"] == "super-admin"


def test_active_ones_come_first(run_by_operators):
    _, boss = run_by_operators
    ok(boss.post(OPERATORS, {"email": f"{unique()}@example.com"}), 201)
    statuses = [status for _, status in listed(boss)]
    assert statuses == sorted(statuses) and listed(boss)[0] == (boss.email, "active")
    assert listed(boss)[-1] == ("named@example.com", "pending")


def test_an_invite_is_taken_back(run_by_operators):
    server, boss = run_by_operators
    email = f"{unique('with+plus')}@example.com"
    ok(boss.post(OPERATORS, {"email": email}), 201)
    path = f"{OPERATORS}/{quote(email.upper(), safe='')}"
    ok(boss.delete(path), 204)
    refused(boss.delete(path), 404, "NOT_FOUND")
    assert PlatformUser(server, email=email).user["platformRole"] == "user"
    refused(boss.delete(f"{OPERATORS}/named%40example.com"), 409, "CONFLICT")
    for other in ("nonsense", "x" * 300, "%25"):
        refused(boss.delete(f"{OPERATORS}/{other}"), 404, "NOT_FOUND")


@pytest.mark.parametrize("body", [{}, {"email": ""}, {"email": "x"}, {"email": 5}, {"email": None}])
def test_bad_addresses(run_by_operators, body):
    _, boss = run_by_operators
    refused(boss.post(OPERATORS, body), 400, "VALIDATION", "/email")


def test_with_a_mail_server_the_address_is_verified(make_server, tmp_path):
    with MailCatcher(tmp_path) as catcher:
        server = make_server({"SERVICE_OPERATORS": "on", **catcher.settings}).start()
        boss = PlatformUser(server)
        ok(boss.post(OPERATORS, {"email": "slow@example.com"}), 201)
        slow = PlatformUser(server, email="slow@example.com")
        assert slow.user["platformRole"] == "user"
        refused(slow.get(OPERATORS), 403)
        assert ("slow@example.com", "pending") in listed(boss)
        (verify,) = [mail for mail in catcher.to("slow@example.com", 2) if "Confirm" in mail.subject]
        token = verify.link.split("token=")[1].split("&")[0]
        ok(Api(server).post("/control/auth/verify-email", {"token": token}), 204)
        # Verifying the address accepts the invitation, so the sessions from before it end.
        assert ("slow@example.com", "active") in listed(boss)
        refused(slow.get(OPERATORS), 401)

        ok(boss.post(OPERATORS, {"email": "quick@example.com"}), 201)
        (invite,) = catcher.to("quick@example.com")
        token = invite.link.split("invite=")[1].split("&")[0]
        body = {"token": token, "password": "correct horse battery"}
        answer = ok(Api(server).post("/control/auth/invites/accept", body))
        assert answer["user"]["platformRole"] == "super-admin"
