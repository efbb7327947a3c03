"""`manybase move`: a deployment goes from the embedded engine to MongoDB and back, and reads as before."""

import subprocess
import threading

import pytest

from support import mongo_server
from support.bucket import Bucket
from support.client import PlatformUser, ok, refused
from support.commands import complains, done, environment, line_of, result, run
from support.function import Function
from support.hook import Hook
from support.realtime import Live
from support.waiting import wait_until

pytestmark = pytest.mark.embedded("names the store of each server itself")

SETTINGS = {"SERVICE_BASE_URL": "https://api.example.com", "SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}


def address(data, name: str = "") -> str:
    return mongo_server.shared().database_of(data / name)


@pytest.fixture
def filled(make_server, receiver):
    """A stopped deployment with something of every kind, and what its API shows."""
    server = make_server(SETTINGS).start()
    owner = PlatformUser(server)
    dropped = owner.create_project()
    project = owner.create_project()
    ok(owner.delete(f"/control/projects/{dropped.id}"), 204)
    things = project.collection(
        "Things",
        schema={"type": "object", "properties": {"n": {"type": "integer"}}},
        indexes=[{"keys": {"n": 1}, "unique": True}, {"keys": {"tags": -1, "n": 1}, "sparse": True}],
    )
    gone = project.collection("Gone")
    project.collection("Empty", policy=None)
    user, key = project.end_user(), project.api_key("read", "write")
    project.role("audit:read", name="auditors")
    for n in range(40):
        user.create(things, {"n": n, "tags": ["a", "b"][: n % 3], "big": 2**53 + 1, "price": {"$numberDecimal": "1.10"}})
    ok(project.admin.delete(f"/admin/collections/{gone}"), 204)
    ok(Bucket(project).put("one.txt", b"bytes"), 201)
    Function(project, "return { well: true }", {"type": "http", "method": "GET", "path": "/well"})
    hook = Hook(project, receiver, collection=things)
    # Until then deliveries are jobs that wait or run.
    hook.opened = threading.Event()
    hook.answer(lambda _: 200 if hook.opened.wait(60) else 500)
    with Live(server, user.token) as live:
        live.follow(things)
        key.create(things, {"n": 100})
        event = live.event()
    hook.arrived(1)
    key.create(things, {"n": 101})
    yield server, owner, project, user, key, hook, event
    hook.opened.set()


def shown(server, owner, project, user, key) -> dict:
    """Returns all that the API shows of the deployment, with the tokens and keys that were issued before."""
    for each in (owner, project.admin, user, key):
        each.server = server
    admin = project.admin
    names = ok(admin.get("/admin/collections"))["collections"]
    return {
        "projects": ok(owner.get("/control/projects")),
        "collections": {
            name: {
                part: ok(admin.get(f"/admin/collections/{name}/{part}"))
                for part in ("schema", "policy", "indexes")
            }
            for name in names
        },
        "documents": [
            (document, key.get(f"/Things/{document['id']}").json()) for document in key.list("Things", limit=1000)
        ],
        "users": ok(admin.get("/admin/users")),
        "roles": ok(admin.get("/admin/roles")),
        "keys": [(each["id"], each["scopes"]) for each in ok(admin.get("/admin/api-keys"))["apiKeys"]],
        "functions": [
            {field: value for field, value in function.items() if field != "stats"}
            for function in ok(admin.get("/admin/functions"))["functions"]
        ],
        "files": [
            (bucket["name"], admin.get(f"/storage/{bucket['name']}/one.txt").content)
            for bucket in ok(admin.get("/admin/storage/buckets"))["buckets"]
        ],
        "sessions": ok(user.get("/auth/sessions")),
    }


def chains(data, settings) -> dict:
    """Returns the heads of all audit chains, which are whole."""
    report = result(run("audit verify", "--json", data=data, settings=settings))
    assert report["broken"] == 0
    return {chain.get("project"): chain["head"] for chain in report["chains"]}


def test_there_and_back(filled, make_server, tmp_path):
    server, owner, project, user, key, hook, event = filled
    embedded, database = {}, {"MONGO_URL": address(server.data)}
    before = shown(server, owner, project, user, key)
    server.stop()
    heads = chains(server.data, embedded)

    report = result(run("move", "--to", database["MONGO_URL"], "--json", data=server.data))
    assert report["engine"] == "mongodb" and report["counts"]["projects"] == 3 and report["counts"]["collections"] == 2
    assert report["counts"]["changes"] >= 42
    assert chains(server.data, database) == heads
    assert "no problems" in done(run("check", data=server.data, settings=database))

    on_mongo = make_server({**SETTINGS, **database}, data=server.data).start()
    assert shown(on_mongo, owner, project, user, key) == before
    hook.opened.set()
    # What waited is delivered.
    waiting = {document["id"] for document in key.list("Things", {"n": {"$gte": 100}})}
    wait_until(
        lambda: {each["documentId"] for each in hook.deliveries() if each["status"] == "delivered"} == waiting,
        60,
        hook.deliveries,
    )
    refused(key.post("/Things", {"n": 3}), 409)
    refused(key.post("/Things", {"n": "three"}), 400)
    with Live(on_mongo, user.token) as live:
        # Nothing was lost, and positions go on.
        live.follow("Things", after=event["position"])
        assert live.event()["document"]["n"] == 101
        made = key.create("Things", {"n": 102})
        assert live.event()["document"]["id"] == made["id"]
    on_mongo.stop()

    back = tmp_path / "back"
    text = done(run("move", "--to", back, data=server.data, settings=database))
    assert "all were compared" in text and str(server.data) in text
    assert not (back / "moving").exists()
    for name in ("files", "secret"):
        (server.data / name).rename(back / name)
    assert "no problems" in done(run("check", data=back))
    again = make_server(SETTINGS, data=back).start()
    key.server = again
    ok(key.delete(f"/Things/{made['id']}"), 204)
    assert shown(again, owner, project, user, key) == before
    again.stop()
    chains(back, embedded)


def test_refused_targets(filled, tmp_path):
    server, *_ = filled
    url = address(server.data)
    complains(run("move", "--to", url, data=server.data), "a server runs on")
    server.stop()
    complains(run("move", data=server.data), "either --to or --to-file", code=2)
    complains(run("move", "--to", "http://127.0.0.1/x", data=server.data), "--to: ", code=2)
    complains(run("move", "--to", url.replace("replicaSet", "w=0&replicaSet"), data=server.data), "--to: ", code=2)
    complains(run("move", "--to", server.data, data=server.data), "are the same directory")
    mongo_server.shared().run(url.split("/")[3].split("?")[0], {"insert": "other", "documents": [{"_id": 1}]})
    complains(run("move", "--to", url, data=server.data), "holds something else")
    other = address(server.data, "other")
    named = tmp_path / "target"
    named.write_text(other + "\n")
    done(run("move", "--to-file", named, data=server.data))
    complains(run("move", "--to", other, data=server.data), "is not empty")
    assert "no problems" in done(run("check", data=server.data))


@pytest.mark.long(run="mongo_pair")
@pytest.mark.parametrize("to_mongo", [True, False])
def test_a_killed_move_leaves_nothing_that_opens(filled, make_server, tmp_path, to_mongo):
    server, _, project, *_ = filled
    project.fill("Things", 3000, lambda n: {"n": 1000 + n, "pad": "x" * 500})
    server.stop()
    source = {}
    if not to_mongo:
        source = {"MONGO_URL": address(server.data)}
        done(run("move", "--to", source["MONGO_URL"], data=server.data))
    target = address(server.data, "second") if to_mongo else tmp_path / "back"
    moving = subprocess.Popen(
        line_of("move", "--to", target, "--json", data=server.data),
        env=environment(server.data, source),
        stderr=subprocess.PIPE,
        text=True,
    )
    if to_mongo:
        # The first progress is shown after the first second, in which the database was marked.
        assert "progress" in moving.stderr.readline()
    else:
        wait_until((target / "moving" / "store" / "CURRENT").exists, 60)
    moving.kill()
    assert moving.wait() != 0

    # No server opens the target; the source is what it was.
    opened = {"MONGO_URL": target} if to_mongo else {}
    data = tmp_path / "other" if to_mongo else target
    started = make_server({**SETTINGS, **opened}, data=data).spawn()
    wait_until(lambda: not started.alive(), 60, started.log)
    assert "did not end well" in started.log()
    started.kill()
    assert "no problems" in done(run("check", data=server.data, settings=source))
    if not to_mongo:
        # As a killed server would, the killed move counts for half a minute as one that may write.
        again = run("move", "--to", target, data=server.data, settings=source)
        if again.returncode != 0:
            complains(again, "within the last half minute")
        return
    assert "all were compared" in done(run("move", "--to", target, data=server.data))
    assert "no problems" in done(run("check", data=server.data, settings=opened))
