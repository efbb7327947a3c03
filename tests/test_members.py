"""Members of projects and the tokens they exchange."""

import concurrent.futures
import re

import jwt
import pytest

from support.client import Api, PlatformUser, ok, refused

MEMBER_FIELDS = {"id", "userId", "email", "name", "role", "status", "createdAt"}


# ---- members


def test_members(server, owner):
    project = owner.create_project()
    path = f"/control/projects/{project.id}/members"
    user = PlatformUser(server, name="Second")
    member = ok(owner.post(path, {"email": user.email.upper(), "role": "Editor"}), 201)["member"]
    assert set(member) == MEMBER_FIELDS
    assert member["userId"] == user.id and member["role"] == "Editor" and member["status"] == "active"
    assert member["name"] == "Second" and re.fullmatch(r"mem_[0-9A-Za-z]{20}", member["id"])
    members = ok(owner.get(path))["members"]
    assert [item["userId"] for item in members] == [owner.id, user.id]
    assert members[1] == member
    assert ok(user.get("/control/me"))["memberships"][0]["role"] == "Editor"
    ok(owner.patch(f"{path}/{user.id}", {"role": "Viewer"}), 204)
    assert ok(user.get(f"/control/projects/{project.id}"))["project"]["role"] == "Viewer"
    ok(owner.delete(f"{path}/{user.id}"), 204)
    refused(user.get(f"/control/projects/{project.id}"), 404)
    assert ok(user.get("/control/me"))["memberships"] == []
    refused(owner.delete(f"{path}/{user.id}"), 404)
    refused(owner.patch(f"{path}/{user.id}", {"role": "Viewer"}), 404)


def test_member_twice(server, owner):
    project = owner.create_project()
    path = f"/control/projects/{project.id}/members"
    user = PlatformUser(server)
    ok(owner.post(path, {"email": user.email, "role": "Viewer"}), 201)
    assert owner.post(path, {"email": user.email, "role": "Editor"}).status_code in (201, 409)
    assert len(ok(owner.get(path))["members"]) == 2


def test_member_of_a_role_that_is_not(server, owner, project):
    user = PlatformUser(server)
    for role in ("Nothing", "", "owner", "user", "*"):
        refused(
            owner.post(f"/control/projects/{project.id}/members", {"email": user.email, "role": role}),
            400,
            "VALIDATION",
            "/role",
        )
    refused(
        owner.patch(f"/control/projects/{project.id}/members/{owner.id}", {"role": "Nothing"}),
        400,
        "VALIDATION",
        "/role",
    )


def test_changes_of_membership_bite_at_once(server, owner):
    project = owner.create_project()
    collection = project.collection()
    user = PlatformUser(server)
    member = project.member("Admin", user)
    path = f"/control/projects/{project.id}/members/{user.id}"
    ok(member.post(f"/{collection}", {"a": 1}), 201)
    ok(member.get("/admin/users"))
    ok(owner.patch(path, {"role": "Viewer"}), 204)
    refused(member.post(f"/{collection}", {"a": 1}), 403)
    refused(member.post("/admin/roles", {"name": "x", "permissions": []}), 403)
    ok(member.get(f"/{collection}"))
    ok(owner.delete(path), 204)
    assert member.get(f"/{collection}").status_code in (401, 404)
    assert member.get("/admin/collections").status_code in (401, 404)
    assert user.post(f"/control/projects/{project.id}/token").status_code == 404


def test_owner_is_given_and_taken_by_owners_only(server, owner):
    project = owner.create_project()
    path = f"/control/projects/{project.id}/members"
    admin_user, other = PlatformUser(server), PlatformUser(server)
    project.member("Admin", admin_user)
    refused(admin_user.post(path, {"email": other.email, "role": "Owner"}), 403, "FORBIDDEN")
    refused(admin_user.patch(f"{path}/{admin_user.id}", {"role": "Owner"}), 403, "FORBIDDEN")
    refused(admin_user.patch(f"{path}/{owner.id}", {"role": "Viewer"}), 403, "FORBIDDEN")
    refused(admin_user.delete(f"{path}/{owner.id}"), 403, "FORBIDDEN")
    ok(admin_user.post(path, {"email": other.email, "role": "Admin"}), 201)
    ok(admin_user.patch(f"{path}/{other.id}", {"role": "Viewer"}), 204)
    ok(admin_user.delete(f"{path}/{other.id}"), 204)
    ok(owner.patch(f"{path}/{admin_user.id}", {"role": "Owner"}), 204)
    ok(admin_user.patch(f"{path}/{owner.id}", {"role": "Viewer"}), 204)


def test_last_owner_stays(owner):
    project = owner.create_project()
    path = f"/control/projects/{project.id}/members/{owner.id}"
    refused(owner.patch(path, {"role": "Admin"}), 409, "CONFLICT")
    refused(owner.delete(path), 409, "CONFLICT")
    assert ok(owner.get(f"/control/projects/{project.id}"))["project"]["role"] == "Owner"


@pytest.mark.parametrize("how", ["demote each other", "remove each other", "leave both"])
def test_last_owner_stays_under_concurrency(server, owner, how):
    other = PlatformUser(server)
    for _ in range(5):
        project = owner.create_project()
        project.member("Owner", other)
        path = f"/control/projects/{project.id}/members"
        moves = {
            "demote each other": [
                lambda: owner.patch(f"{path}/{other.id}", {"role": "Admin"}),
                lambda: other.patch(f"{path}/{owner.id}", {"role": "Admin"}),
            ],
            "remove each other": [
                lambda: owner.delete(f"{path}/{other.id}"),
                lambda: other.delete(f"{path}/{owner.id}"),
            ],
            "leave both": [lambda: owner.delete(f"{path}/{owner.id}"), lambda: other.delete(f"{path}/{other.id}")],
        }[how]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            statuses = sorted(future.result().status_code for future in [pool.submit(move) for move in moves])
        assert statuses[0] == 204 and statuses[1] in (403, 404, 409), statuses
        owners = []
        for user in (owner, other):
            response = user.get(path)
            if response.status_code == 200:
                owners += [item for item in response.json()["members"] if item["role"] == "Owner"]
        assert owners, "the project has no Owner"


# ---- token exchange


def test_token_exchange(server, owner, project):
    body = ok(owner.post(f"/control/projects/{project.id}/token"))
    assert set(body) == {"token", "expiresIn"} and body["expiresIn"] == 900
    claims = jwt.decode(body["token"], options={"verify_signature": False})
    assert claims["aud"] == "project" and claims["pid"] == project.id and claims["sub"] == owner.id
    viewer = project.member("Viewer")
    claims = jwt.decode(viewer.token, options={"verify_signature": False})
    assert claims["role"] == "Viewer" and "data:*:read" in claims["perms"] and "*" not in claims["perms"]


def test_a_project_token_ends_with_the_session_it_came_from(server, project):
    user = PlatformUser(server)
    member = project.member("Viewer", user)
    ok(member.get("/admin/collections"))
    ok(Api(server).post("/control/auth/logout", {"refreshToken": user.tokens["refreshToken"]}), 204)
    refused(member.get("/admin/collections"), 401)


def test_project_header_must_agree(server, owner, project):
    other = owner.create_project()
    collection = project.collection()
    ok(project.admin.get(f"/{collection}", project=project.id))
    refused(project.admin.get(f"/{collection}", project=other.id), 400, "PROJECT_MISMATCH")
    refused(project.admin.get("/admin/collections", project=other.id), 400, "PROJECT_MISMATCH")
    key = project.api_key("read")
    refused(key.get(f"/{collection}", project=other.id), 400, "PROJECT_MISMATCH")
