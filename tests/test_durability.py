"""Acknowledged writes stay: over a stop, over kill -9, and in `manybase check`."""

import json
import random

import pytest

from kill.kill_rounds import Rounds
from support.client import PASSWORD, EndUser, PlatformUser, ok, refused
from support.server import check_data


def everything(owner, project) -> str:
    admin = project.admin
    parts = [
        ok(admin.get(path)) for path in ("/admin/collections", "/admin/roles", "/admin/enduser-roles", "/admin/users")
    ]
    parts += [
        ok(admin.get(f"/admin/collections/{name}/{part}"))
        for name in ok(admin.get("/admin/collections"))["collections"]
        for part in ("schema", "policy", "indexes", "documents")
    ]
    parts += [
        ok(owner.get(path)) for path in ("/control/me", "/control/projects", f"/control/projects/{project.id}/members")
    ]
    parts += [
        [{name: key[name] for name in ("id", "name", "scopes")} for key in ok(admin.get("/admin/api-keys"))["apiKeys"]]
    ]
    return json.dumps(parts)


@pytest.fixture
def lived_in(make_server):
    """A server with an entry of every kind, and its content."""
    server = make_server().start()
    owner = PlatformUser(server)
    project = owner.create_project()
    collection = project.collection(
        "Things",
        schema={"type": "object", "properties": {"n": {"type": "integer"}}},
        indexes=[{"keys": {"n": 1}, "unique": True}, {"keys": {"tags": -1}}],
    )
    user, key = project.end_user(), project.api_key("read", "write")
    project.member(project.role("audit:read"))
    for n in range(30):
        user.create(
            collection,
            {"n": n, "tags": ["a", "b"][: n % 3], "big": 2**53 + 1, "when": {"$date": "2026-01-01T00:00:00Z"}},
        )
    return server, owner, project, user, key, collection


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_restart_keeps_everything(lived_in, how):
    server, owner, project, user, key, collection = lived_in
    before = everything(owner, project)
    getattr(server, how)()
    checked = check_data(server.data)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    server.start()
    assert everything(owner, project) == before
    # Tokens, sessions and keys too.
    ok(user.get("/auth/sessions"))
    ok(project.public().post("/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}))
    ok(project.public().post("/auth/login", {"email": user.email, "password": PASSWORD}))
    assert len(key.list(collection, {"n": {"$gte": 10}})) == 20
    refused(key.post(f"/{collection}", {"n": 3}), 409)
    assert key.create(collection, {"n": 1000})["id"] > max(item["id"] for item in key.list(collection)[:-1])


def test_revocations_outlive_a_restart(lived_in):
    server, owner, project, user, key, collection = lived_in
    other, blocked = EndUser(project), EndUser(project)
    ok(project.public().post("/auth/logout", {"refreshToken": other.tokens["refreshToken"]}), 204)
    ok(project.admin.post(f"/admin/users/{blocked.id}/block"), 204)
    ok(project.admin.delete(f"/admin/api-keys/{key.id}"), 204)
    gone = owner.create_project()
    gone_user = gone.end_user()
    ok(owner.delete(f"/control/projects/{gone.id}"), 204)
    ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
    server.kill()
    server.start()
    refused(user.get(f"/{collection}"), 403, "PROJECT_SUSPENDED")
    ok(owner.post(f"/control/projects/{project.id}/resume"), 204)
    for api in (other, blocked, key):
        refused(api.get(f"/{collection}"), 401)
    assert gone_user.get("/auth/sessions").status_code in (401, 404)
    ok(user.get(f"/{collection}"))


def test_dropped_collections_stay_dropped(lived_in):
    server, _, project, user, _, collection = lived_in
    ok(project.admin.delete(f"/admin/collections/{collection}"), 204)
    server.kill()
    server.start()
    refused(user.get(f"/{collection}"), 404)
    project.collection(collection)
    assert user.list(collection) == []


def test_ids_ascend_over_restarts(lived_in):
    server, _, _, user, _, collection = lived_in
    last = user.create(collection, {})["id"]
    for _ in range(2):
        server.kill()
        server.start()
        now = user.create(collection, {"n": random.randrange(10**6, 10**9)})["id"]
        assert now > last
        last = now


def test_check_needs_a_data_directory(tmp_path):
    assert check_data(tmp_path / "nothing").returncode != 0
    assert not (tmp_path / "nothing").exists()


def test_check_beside_a_running_server(lived_in):
    """It calls the running server, or reports that one runs; it never interferes with it."""
    server, _, _, user, _, collection = lived_in
    checked = check_data(server.data)
    assert checked.returncode == 0 or str(server.data) in checked.stdout + checked.stderr
    user.create(collection, {"n": 12345})


@pytest.mark.embedded("the rounds back up under writes, and the test server does not read as of one moment")
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kill_rounds(tmp_path):
    """Eight rounds; ./test long kill runs 1,000."""
    seed = random.SystemRandom().randrange(10**9)
    rounds = Rounds(tmp_path, seed)
    rounds.run(8)
    assert not rounds.problems, f"seed {seed}:\n" + "\n".join(rounds.problems[:20])
    assert rounds.world.acknowledged > 80
