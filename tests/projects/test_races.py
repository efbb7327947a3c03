"""Roles and labels stay consistent under concurrent requests. MB_RACE_ROUNDS sets the number of rounds."""

import concurrent.futures
import os
import random
from collections import Counter

import pytest

from support.client import PASSWORD, Api, PlatformUser, fresh_address, ok, unique
from support.server import check_data
from support.waiting import SLOW

ROUNDS = int(os.environ.get("MB_RACE_ROUNDS", "50"))
LONG = pytest.mark.timeout(int((60 + ROUNDS * 3) * SLOW))


def at_once(*calls) -> list:
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    from support.server import Server

    server = Server(tmp_path_factory.mktemp("races")).start()
    yield server, [PlatformUser(server) for _ in range(3)]
    server.stop()
    checked = check_data(server.data)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def members_of(users, path) -> list[dict]:
    """Returns the members as the first user sees them who may read them."""
    for user in users:
        answer = user.get(path)
        if answer.status_code == 200:
            return answer.json()["members"]
    raise AssertionError("the project has no members")


@LONG
def test_a_project_keeps_an_owner(scene):
    _, users = scene
    chance = random.Random(11)
    outcomes = Counter()
    project = path = None
    for number in range(ROUNDS):
        if number % 10 == 0:
            project = users[0].create_project()
            path = f"/control/projects/{project.id}/members"
        # All three are members again, at least two of them Owners.
        listed = {item["userId"]: item["role"] for item in members_of(users, path)}
        acting = next(user for user in users if listed.get(user.id) == "Owner")
        for user in users:
            role = "Owner" if user is not users[number % 3] else chance.choice(["Owner", "Viewer", "Admin"])
            if user.id not in listed:
                ok(acting.post(path, {"email": user.email, "role": role}), 201)
            elif user is not acting and listed[user.id] != role:
                ok(acting.patch(f"{path}/{user.id}", {"role": role}), 204)

        def move():
            asking, whom = chance.choice(users), chance.choice(users)
            what = chance.choice(["remove", "remove", "demote", "demote", "grant"])
            if what == "remove":
                return lambda: asking.delete(f"{path}/{whom.id}")
            role = "Owner" if what == "grant" else chance.choice(["Viewer", "Admin"])
            return lambda: asking.patch(f"{path}/{whom.id}", {"role": role})

        answers = at_once(*(move() for _ in range(6)))
        outcomes.update(answer.status_code for answer in answers)
        owners = [item for item in members_of(users, path) if item["role"] == "Owner"]
        assert owners, f"the project has no Owner after round {number}: {[a.status_code for a in answers]}"
    assert set(outcomes) <= {204, 403, 404, 409}, outcomes
    assert outcomes[204] and outcomes[409], outcomes


@LONG
def test_labels_stay_unique(scene):
    _, users = scene
    owner = users[0]
    outcomes = Counter()
    for number in range(max(ROUNDS // 5, 3)):
        root = owner.create_project()
        path = f"/control/projects/{root.id}/environments"
        other = root.member("Owner", users[1]).user
        earlier = ok(owner.post(path, {"environment": "qa"}), 201)["project"]["id"]
        calls = [
            lambda: owner.post(path, {"environment": "staging"}),
            lambda: other.post(path, {"environment": "staging"}),
            lambda: owner.post(path, {"environment": "qa"}),
            lambda: other.post(path, {"environment": "qa"}),
            lambda: owner.delete(f"/control/projects/{earlier}"),
        ]
        if number % 2:
            calls.append(lambda: other.delete(f"/control/projects/{root.id}"))
        answers = at_once(*calls)
        outcomes.update(answer.status_code for answer in answers)
        projects = ok(owner.get("/control/projects"))["projects"]
        labels = [item["environment"] for item in projects if item["parentId"] == root.id]
        assert len(labels) == len(set(labels)), labels
        if root.id not in [item["id"] for item in projects]:
            assert not labels, "a root went from under its environments"
    assert set(outcomes) <= {201, 204, 404, 409}, outcomes
    assert outcomes[201] and outcomes[409], outcomes


@LONG
def test_an_environment_is_owned_by_who_owned_its_root(scene):
    _, users = scene
    ada, bob, cleo = users
    for _ in range(max(ROUNDS // 5, 3)):
        root = ada.create_project()
        path = f"/control/projects/{root.id}"
        root.member("Owner", bob), root.member("Viewer", cleo)
        made, *others = at_once(
            lambda: ada.post(f"{path}/environments", {"environment": "staging"}),
            lambda: ada.patch(f"{path}/members/{bob.id}", {"role": "Viewer"}),
            lambda: ada.delete(f"{path}/members/{cleo.id}"),
            lambda: bob.patch(f"{path}/members/{ada.id}", {"role": "Admin"}),
        )
        assert made.status_code in (201, 403, 409), made.text
        assert {answer.status_code for answer in others} <= {204, 403, 404, 409}
        if made.status_code == 201:
            members = f"/control/projects/{made.json()['project']['id']}/members"
            assert [item for item in members_of(users, members) if item["role"] == "Owner"]


@LONG
def test_no_invite_stays_for_somebody_with_an_account(scene):
    server, users = scene
    owner = users[0]
    for number in range(max(ROUNDS // 5, 3)):
        root = owner.create_project()
        path = f"/control/projects/{root.id}"
        email = f"{unique('new')}@example.com"
        if number % 2:
            ok(owner.post(f"{path}/members", {"email": email, "role": "Viewer"}), 201)
        registered, invited, made = at_once(
            lambda: Api(server).post(
                "/control/auth/register", {"email": email, "password": PASSWORD}, address=fresh_address()
            ),
            lambda: owner.post(f"{path}/members", {"email": email, "role": "Editor"}),
            lambda: owner.post(f"{path}/environments", {"environment": "staging"}),
        )
        user = ok(registered, 201)["user"]
        assert invited.status_code in (201, 409), invited.text
        stage = ok(made, 201)["project"]
        listed = members_of(users, f"{path}/members") + members_of(users, f"/control/projects/{stage['id']}/members")
        theirs = [item for item in listed if item["email"] == email]
        assert theirs and all(item["userId"] == user["id"] and item["status"] == "active" for item in theirs), theirs
        if number % 2:
            assert len(theirs) == 2, "an invite to the root was not copied"


@pytest.mark.parametrize("number", range(3))
def test_of_two_first_registrations_one_becomes_super_admin(make_server, number):
    server = make_server().start()
    code = server.setup_code()
    bodies = [{"email": f"p{n}@example.com", "password": PASSWORD, **code} for n in range(2)]
    answers = at_once(*(lambda body=body: Api(server).post("/control/auth/register", body) for body in bodies))
    assert sorted(ok(answer, 201)["user"]["platformRole"] for answer in answers) == ["super-admin", "user"]
