"""Ways into a team: each returns whether the caller got through; "no" also means that nothing has changed."""

import json

from support.client import unique

from teams_world import OTHER, OWNERS, passed, queried, unchanged


def members(world, caller, team):
    answer = caller.get("/memberships", params={"filter": json.dumps({"teamId": world.teams[team]})})
    return passed(answer, 200) and answer.json()["documents"] != []


def make_oneself_member(world, caller, team):
    body = {"teamId": world.teams[team], "userId": getattr(caller, "id", "x"), "role": "owner"}
    before = world.count("memberships", team)
    joined = passed(caller.post("/memberships", body), 201)
    text = ", ".join(f"{name}: {json.dumps(value)}" for name, value in body.items())
    joined = joined or bool(queried(caller, f"mutation {{ createMemberships(input: {{{text}}}) {{ id }} }}"))
    assert world.count("memberships", team) == before
    return joined


def someone(world, team) -> str:
    """A membership of another person, who joins for it."""
    user = world.project.end_user()
    world.join(user, world.link(team))
    (found,) = user.list("memberships", {"userId": user.id})
    return found["id"]


def set_role(world, caller, team):
    id = someone(world, team)
    return unchanged(
        world, "memberships", id, lambda: passed(caller.patch(f"/memberships/{id}", {"role": "editor"}), 204)
    )


def move_member(world, caller, team):
    id = someone(world, OTHER[team])
    body = {"teamId": world.teams[team]}
    return unchanged(world, "memberships", id, lambda: passed(caller.patch(f"/memberships/{id}", body), 204))


def remove_member(world, caller, team):
    id = someone(world, team)
    return unchanged(world, "memberships", id, lambda: passed(caller.delete(f"/memberships/{id}"), 204))


def invite(world, caller, team):
    before = world.count("invitations", team)
    answer = world.call(caller, f"/teams/{world.teams[team]}/invitations", {"role": "viewer"})
    if passed(answer, 201):
        return True
    assert world.count("invitations", team) == before
    return False


def read_invitations(world, caller, team):
    world.link(team)
    answer = caller.get("/invitations", params={"filter": json.dumps({"teamId": world.teams[team]})})
    if not passed(answer, 200):
        return False
    assert "tokenHash" not in answer.text
    return answer.json()["documents"] != []


def write_invitation(world, caller, team):
    body = {"teamId": world.teams[team], "role": "editor", "tokenHash": unique(), "invitedBy": world.ids[OWNERS[team]]}
    return passed(caller.post("/invitations", {**body, "expiresAt": "2100-01-01T00:00:00Z"}), 201)


def rename_team(world, caller, team):
    id = world.teams[team]
    return unchanged(world, "teams", id, lambda: passed(caller.patch(f"/teams/{id}", {"name": unique("Team")}), 204))
