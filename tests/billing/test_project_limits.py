"""The limits of plans on projects and environments, and transfers past them."""

import concurrent.futures
import os

import pytest

from project_limits import create, create_environment, listed, pin
from support.billing import BILLED
from support.client import PlatformUser, ok, refused, unique
from support.commands import complains, done, run
from support.waiting import SLOW

ROUNDS = int(os.environ.get("MB_RACE_ROUNDS", "3"))
AT_ONCE = 200
PASSING = 100


@pytest.fixture
def user(server, owner) -> PlatformUser:
    """A user with the plan free. `owner` is an operator."""
    return PlatformUser(server)


def exceeded(response, limit: str, max: int, use: int) -> None:
    message = refused(response, 403, "PLAN_LIMIT")["message"]
    assert message.startswith(f"plan limit: {limit}: "), message
    assert f"allows {max} " in message and f"in use are {use}" in message, message


def at_once(calls) -> list:
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


# ---- projects


def test_the_plan_free_allows_three(user):
    for _ in range(3):
        ok(create(user), 201)
    before = listed(user)
    exceeded(create(user), "maxProjects", 3, 3)
    assert "Free" in refused(create(user), 403)["message"]
    assert listed(user) == before


def test_a_pinned_limit(owner, user):
    pin(owner, user, maxProjects=1)
    ok(create(user), 201)
    exceeded(create(user), "maxProjects", 1, 1)
    pin(owner, user, maxProjects=2)
    ok(create(user), 201)
    exceeded(create(user), "maxProjects", 2, 2)
    pin(owner, user, maxProjects=0)
    exceeded(create(user), "maxProjects", 0, 2)
    pin(owner, user, maxProjects=None)
    for _ in range(4):
        ok(create(user), 201)
    assert len(listed(user)) == 6


def test_what_counts(owner, server, user):
    pin(owner, user, maxProjects=2, environmentsPerProject=None)
    first, second = user.create_project(), user.create_project()
    for label in ("one", "two", "three"):
        ok(create_environment(user, first, label), 201)
    # The projects of others do not count, those that are suspended do.
    other = PlatformUser(server).create_project()
    other.member("Owner", user)
    ok(user.post(f"/control/projects/{second.id}/suspend"), 204)
    exceeded(create(user), "maxProjects", 2, 2)
    ok(user.delete(f"/control/projects/{second.id}"), 204)
    ok(create(user), 201)
    exceeded(create(user), "maxProjects", 2, 2)


def test_input_is_checked_first(owner, user):
    pin(owner, user, maxProjects=0)
    refused(create(user, ""), 400, "VALIDATION", "/name")
    exceeded(create(user, unique("Shop ")), "maxProjects", 0, 0)


@pytest.mark.slow
@pytest.mark.timeout(int((60 + ROUNDS * 60) * SLOW))
def test_exactly_the_limit_passes_at_once(owner, server):
    for _ in range(ROUNDS):
        user = PlatformUser(server)
        pin(owner, user, maxProjects=PASSING)
        responses = at_once([lambda: create(user, unique("Shop "))] * AT_ONCE)
        made = [response for response in responses if response.status_code == 201]
        assert len(made) == PASSING
        for response in responses:
            if response.status_code != 201:
                exceeded(response, "maxProjects", PASSING, PASSING)
        assert len(listed(user)) == PASSING


# ---- environments


def test_environments_of_a_project(owner, user):
    root, other = user.create_project(), user.create_project()
    staging = ok(create_environment(user, root, "staging"), 201)["project"]
    ok(create_environment(user, root, "qa"), 201)
    exceeded(create_environment(user, root, "demo"), "environmentsPerProject", 2, 2)
    ok(create_environment(user, other, "demo"), 201)
    # Promotion has no limit.
    ok(user.post("/control/environments/promote", {"fromProjectId": staging["id"], "toProjectId": root.id}))
    ok(user.delete(f"/control/projects/{staging['id']}"), 204)
    ok(create_environment(user, root, "demo"), 201)
    exceeded(create_environment(user, root, "staging"), "environmentsPerProject", 2, 2)
    # An operator's change is effective at the next request.
    pin(owner, user, environmentsPerProject=3)
    ok(create_environment(user, root, "staging"), 201)
    exceeded(create_environment(user, root, "more"), "environmentsPerProject", 3, 3)


def test_environments_at_once(owner, user):
    pin(owner, user, environmentsPerProject=5)
    for _ in range(ROUNDS):
        root = user.create_project()
        responses = at_once([lambda label=f"e{n}": create_environment(user, root, label) for n in range(20)])
        assert [response.status_code for response in responses].count(201) == 5
        for response in responses:
            if response.status_code != 201:
                exceeded(response, "environmentsPerProject", 5, 5)
        ok(user.delete(f"/control/projects/{root.id}"), 409)
        for project in ok(user.get("/control/projects"))["projects"]:
            if project["parentId"] == root.id:
                ok(user.delete(f"/control/projects/{project['id']}"), 204)
        ok(user.delete(f"/control/projects/{root.id}"), 204)


# ---- who pays


def test_a_project_without_its_payer_has_the_plan_free(owner, server, user):
    pin(owner, user, environmentsPerProject=4)
    root = user.create_project()
    for label in ("one", "two", "three"):
        ok(create_environment(user, root, label), 201)
    other = root.member("Owner").user
    members = f"/control/projects/{root.id}/members"
    ok(other.patch(f"{members}/{user.id}", {"role": "Admin"}), 204)
    exceeded(create_environment(other, root, "four"), "environmentsPerProject", 2, 3)
    ok(other.patch(f"{members}/{user.id}", {"role": "Owner"}), 204)
    ok(create_environment(other, root, "four"), 201)
    # The plan of the user who takes it.
    pin(owner, other, environmentsPerProject=5)
    ok(other.delete(f"{members}/{user.id}"), 204)
    exceeded(create_environment(other, root, "five"), "environmentsPerProject", 2, 4)
    ok(other.post(f"/control/projects/{root.id}/transfer", {"userId": other.id}), 204)
    ok(create_environment(other, root, "five"), 201)
    exceeded(create_environment(other, root, "six"), "environmentsPerProject", 5, 5)


def test_a_transfer_meets_the_limit_of_the_user_who_gets_it(owner, server, user):
    root = user.create_project()
    taker = root.member("Owner").user
    own = taker.create_project()
    pin(owner, taker, maxProjects=1)
    at = f"/control/projects/{root.id}/transfer"
    ok(user.post(at, {"userId": taker.id}), 202)
    exceeded(taker.post(f"{at}/accept"), "maxProjects", 1, 1)
    exceeded(taker.post(at, {"userId": taker.id}), "maxProjects", 1, 1)
    before = ok(user.get(f"/control/projects/{root.id}"))["project"]["organizationId"]
    assert before == root.wire["organizationId"]
    ok(taker.delete(f"/control/projects/{own.id}"), 204)
    ok(taker.post(f"{at}/accept"), 204)
    exceeded(create(taker), "maxProjects", 1, 1)
    # It counts no longer for the user who paid before.
    pin(owner, user, maxProjects=1)
    ok(create(user), 201)


def test_transfers_and_creations_at_once(owner, server):
    for _ in range(ROUNDS):
        giver, taker = PlatformUser(server), PlatformUser(server)
        pin(owner, giver, maxProjects=None)
        pin(owner, taker, maxProjects=3)
        offered = [giver.create_project() for _ in range(4)]
        for project in offered:
            project.member("Owner", taker)
        takes = [
            lambda at=f"/control/projects/{project.id}/transfer": taker.post(at, {"userId": taker.id})
            for project in offered
        ]
        responses = at_once(takes + [lambda: create(taker, unique("Own "))] * 4)
        passed = [response for response in responses if response.status_code in (201, 204)]
        assert len(passed) == 3
        for response in responses:
            if response not in passed:
                exceeded(response, "maxProjects", 3, 3)


# ---- restores


def test_a_restore_as_a_new_project(make_server, tmp_path):
    server = make_server(BILLED).start()
    operator = PlatformUser(server)
    user = PlatformUser(server)
    project = user.create_project()
    done(run("backup", "--to", tmp_path / "b", "--project", project.slug, data=server.data))
    line = ("restore", "--from", tmp_path / "b", "--project", project.slug)

    def restore(*more):
        return run(*line, *more, data=server.data, settings=BILLED)

    pin(operator, user, maxProjects=2)
    done(restore("--as", "second"))
    complains(restore("--as", "third"), "plan limit: maxProjects: ")
    assert len(listed(user)) == 2
    # For an owner whose plan allows it.
    done(restore("--as", "of-the-operator", "--owner", operator.email))
    # Under its own id it is never refused.
    ok(user.delete(f"/control/projects/{project.id}"), 204)
    ok(create(user), 201)
    done(restore())
    assert project.id in listed(user)
    server.stop()
    complains(restore("--as", "fourth"), "plan limit: maxProjects: ")
    # Without billing nothing is limited.
    done(run(*line, "--as", "fifth", data=server.data))
