"""Invites: pending memberships, until they are accepted, cancelled or expire."""

from urllib.parse import quote

import pytest

from support.client import Api, PlatformUser, ok, refused, unique
from support.mail import Outbox


def members_path(project) -> str:
    return f"/control/projects/{project.id}/members"


def members(owner, project) -> list[tuple]:
    return [(item["email"], item["role"], item["status"]) for item in ok(owner.get(members_path(project)))["members"]]


def address(prefix: str = "new") -> str:
    return f"{unique(prefix)}@example.com"


def test_an_invite_waits_and_becomes_a_membership(server, owner):
    project = owner.create_project()
    email = address("New")
    invited = ok(owner.post(members_path(project), {"email": f" {email.upper()} ", "role": "Viewer"}), 201)["member"]
    assert set(invited) == {"id", "userId", "email", "name", "role", "status", "createdAt"}
    assert invited["userId"] is None and invited["name"] is None and invited["status"] == "pending"
    assert invited["email"] == email.lower() and invited["role"] == "Viewer"
    assert ok(owner.get(members_path(project)))["members"][1] == invited

    user = PlatformUser(server, email=email)
    joined = ok(owner.get(members_path(project)))["members"][1]
    assert joined["id"] == invited["id"] and joined["userId"] == user.id and joined["status"] == "active"
    assert ok(user.get(f"/control/projects/{project.id}"))["project"]["role"] == "Viewer"


def test_inviting_again_refreshes_the_role(server, owner):
    project = owner.create_project()
    email = address()
    first = ok(owner.post(members_path(project), {"email": email, "role": "Viewer"}), 201)["member"]
    second = ok(owner.post(members_path(project), {"email": email.upper(), "role": "Editor"}), 201)["member"]
    assert second == {**first, "role": "Editor"}
    assert members(owner, project)[1:] == [(email, "Editor", "pending")]
    assert len(Outbox(server.data).to(email, 2)) == 2
    PlatformUser(server, email=email)
    assert members(owner, project)[1:] == [(email, "Editor", "active")]


def test_active_members_come_before_pending_ones(server, owner):
    project = owner.create_project()
    early, late = address("early"), address("late")
    for email in (early, late):
        ok(owner.post(members_path(project), {"email": email, "role": "Viewer"}), 201)
    user = PlatformUser(server)
    ok(owner.post(members_path(project), {"email": user.email, "role": "Viewer"}), 201)
    assert [(email, status) for email, _, status in members(owner, project)] == [
        (owner.email, "active"),
        (user.email, "active"),
        (early, "pending"),
        (late, "pending"),
    ]


@pytest.mark.parametrize("local", ["plain", "with+plus", "with.dot", "per%25cent", "o'neil", "sla/sh", "ünï"])
def test_invites_are_cancelled_by_their_address(server, owner, local):
    project = owner.create_project()
    email = f"{local}.{unique()}@example.com"
    ok(owner.post(members_path(project), {"email": email, "role": "Viewer"}), 201)
    # Only ASCII letters are compared without regard to case.
    path = f"{members_path(project)}/pending/{quote(email.upper() if email.isascii() else email, safe='')}"
    ok(owner.delete(path), 204)
    assert len(members(owner, project)) == 1
    refused(owner.delete(path), 404, "NOT_FOUND")
    PlatformUser(server, email=email)
    assert len(members(owner, project)) == 1


def test_cancelling_what_is_not_there(server, owner, project):
    for email in ("nobody@example.com", owner.email, "nonsense", "%", "x" * 300):
        refused(owner.delete(f"{members_path(project)}/pending/{quote(email, safe='')}"), 404, "NOT_FOUND")


def test_who_may_invite_and_cancel(server, owner):
    project = owner.create_project()
    email = address()
    cancel = f"{members_path(project)}/pending/{quote(email)}"
    ok(owner.post(members_path(project), {"email": email, "role": "Viewer"}), 201)
    stranger = PlatformUser(server)
    refused(stranger.delete(cancel), 404, "NOT_FOUND")
    refused(stranger.post(members_path(project), {"email": email, "role": "Viewer"}), 404, "NOT_FOUND")
    for role in ("Editor", "Viewer", project.role("*")):
        member = project.member(role).user
        refused(member.delete(cancel), 403, "FORBIDDEN")
        refused(member.post(members_path(project), {"email": email, "role": "Viewer"}), 403, "FORBIDDEN")
    ok(project.member("Admin").user.delete(cancel), 204)


def test_invited_owners_are_for_owners(server, owner):
    project = owner.create_project()
    admin = project.member("Admin").user
    email = address()
    refused(admin.post(members_path(project), {"email": email, "role": "Owner"}), 403, "FORBIDDEN")
    ok(owner.post(members_path(project), {"email": email, "role": "Owner"}), 201)
    # An Admin can neither change its role nor cancel it.
    refused(admin.post(members_path(project), {"email": email, "role": "Viewer"}), 403, "FORBIDDEN")
    refused(admin.delete(f"{members_path(project)}/pending/{quote(email)}"), 403, "FORBIDDEN")
    # A pending invite does not count as an Owner.
    refused(owner.delete(f"{members_path(project)}/{owner.id}"), 409, "CONFLICT")
    PlatformUser(server, email=email)
    ok(owner.delete(f"{members_path(project)}/{owner.id}"), 204)


def test_custom_roles(server, owner):
    project = owner.create_project()
    role = project.role("audit:read")
    user = PlatformUser(server)
    ok(owner.post(members_path(project), {"email": user.email, "role": role}), 201)
    member = user.exchange(project.id)
    ok(member.get("/admin/audit"))
    refused(member.get("/admin/users"), 403)
    email = address()
    ok(owner.post(members_path(project), {"email": email, "role": role}), 201)
    later = PlatformUser(server, email=email).exchange(project.id)
    ok(later.get("/admin/audit"))
    refused(later.get("/admin/users"), 403)
    for other in (role.upper(), f" {role}", f"{role}x"):
        refused(owner.post(members_path(project), {"email": address(), "role": other}), 400, "VALIDATION", "/role")


def test_grants_and_invites_are_mailed(server, owner):
    project = owner.create_project(unique("Letters "))
    user, email = PlatformUser(server), address()
    ok(owner.post(members_path(project), {"email": user.email, "role": "Editor"}), 201)
    ok(owner.post(members_path(project), {"email": email, "role": "Viewer"}), 201)
    outbox = Outbox(server.data)
    (granted,) = [mail for mail in outbox.to(user.email, 2) if "member" in mail.subject]
    (invite,) = [mail for mail in outbox.to(email) if "Invitation" in mail.subject]
    for mail, role in ((granted, "Editor"), (invite, "Viewer")):
        assert project.wire["name"] in mail.subject
        assert owner.email in mail.text and role in mail.text
        assert mail.link.startswith(server.url)


@pytest.mark.parametrize("email", ["", "x", "x@", "@y.example", "a b@c.example", "x" * 300 + "@y.example", 5, None])
def test_bad_addresses(owner, project, email):
    refused(owner.post(members_path(project), {"email": email, "role": "Viewer"}), 400, "VALIDATION", "/email")


def test_invites_need_a_control_token(server, project):
    for token in (None, project.admin.token):
        api = Api(server, token)
        refused(api.delete(f"{members_path(project)}/pending/a%40b.example"), 401, "UNAUTHENTICATED")
