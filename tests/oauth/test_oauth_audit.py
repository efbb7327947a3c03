"""Sign-ins with providers in the audit log."""

from support.client import ok
from support.oauth_flow import Visit, error_of, github_person, signed_in, user_of


def entries(project, action: str) -> list[dict]:
    return ok(project.admin.get("/admin/audit", params={"action": action}))["entries"]


def test_who_comes_in_and_who_does_not(server, project, github):
    email = github_person(github)["email"]
    user = user_of(signed_in(server, Visit(server, "github", project).back(), project))
    login = entries(project, "login.succeeded")[0]
    assert login["actor"] == {"kind": "user", "id": user} and login["details"]["method"] == "github"
    link = entries(project, "identity.link")[0]
    assert link["target"] == f"users/{user}" and link["details"]["provider"] == "github"

    ok(project.admin.post(f"/admin/users/{user}/block"), 204)
    assert error_of(Visit(server, "github", project).back()) == "user_blocked"
    failed = entries(project, "login.failed")[0]
    assert failed["details"] == {"method": "github", "reason": "blocked", "email": email}
    assert failed["actor"]["kind"] == "anonymous" and failed["ip"]

    unverified = github_person(github)
    github.emails[0]["verified"] = False
    assert error_of(Visit(server, "github", project).back()) == "email_unverified"
    failed = entries(project, "login.failed")[0]
    assert failed["details"]["reason"] == "unverified" and failed["details"]["method"] == "github"
    assert failed["details"].get("email") in (unverified["email"], None)
    assert len(entries(project, "login.succeeded")) >= 1
