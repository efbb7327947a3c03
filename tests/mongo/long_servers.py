"""Two servers on one database: what one does takes effect at the other, and each consequence happens once."""

import base64
import itertools
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor

import pymongo
import pytest

from support.client import OPEN_POLICY, PASSWORD, Api, PlatformUser, Project, fresh_address, ok, refused, unique
from support.commands import complains, done, run
from support.embeddings import DIMENSIONS, Embeddings
from support.function import Function
from support.given_mongo import URL, GivenMongo
from support.mongo_server import MongoServer
from support.realtime import Live
from support.receiver import Receiver
from support.server import Server
from support.vectors import Space
from support.waiting import wait_until

pytestmark = pytest.mark.timeout(600)
_numbers = itertools.count(1)
# In the names of databases: a server that outlives the tests may hold those of another run.
RUN = secrets.token_hex(3)


@pytest.fixture(scope="module")
def mongo(tmp_path_factory):
    """The server that MANYBASE_TEST_MONGO_URL names, or one of the tests' own."""
    if URL:
        given = GivenMongo()
        yield given
        given.drop()
        return
    server = MongoServer(tmp_path_factory.mktemp("mongo"))
    yield server
    server.stop()


def settings_of(mongo, **more) -> dict:
    """The settings that all servers of a new database have in common."""
    return {
        "MONGO_URL": mongo.database(f"servers{RUN}{next(_numbers)}"),
        "SERVICE_SECRET": base64.b64encode(b"one secret for both of the servers"[:32]).decode(),
        "SERVICE_BASE_URL": "http://127.0.0.1:8080",
        "SERVICE_STORAGE": "off",
        "SERVICE_OUTBOUND_ALLOW": mongo.outbound_allow(),
        **more,
    }


@pytest.fixture(scope="module")
def pair(mongo, tmp_path_factory):
    settings = settings_of(mongo)
    servers = [Server(tmp_path_factory.mktemp(name), settings).start() for name in ("a", "b")]
    yield servers
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def project(pair):
    return PlatformUser(pair[0]).create_project()


def at(server: Server, api: Api) -> Api:
    """The same caller at another server."""
    return Api(server, api.token, api.project)


def hook(project, receiver: Receiver, collection: str) -> str:
    path = "/" + unique("hook")
    body = {"name": unique("hook"), "collection": collection, "events": ["insert"], "url": receiver.url(path)}
    ok(project.admin.post("/admin/webhooks", body), 201)
    return path


def numbers_at(receiver: Receiver, path: str) -> list:
    return [got.body["document"]["n"] for got in receiver.at(path)]


def test_a_document_is_read_at_the_other(pair, project):
    collection = project.collection()
    made = project.admin.create(f"admin/collections/{collection}/documents", {"n": 1})
    there = at(pair[1], project.admin)
    path = f"/admin/collections/{collection}/documents/{made['id']}"
    assert ok(there.get(path))["document"]["n"] == 1
    ok(there.patch(path, {"$set": {"n": 2}}))
    assert ok(project.admin.get(path))["document"]["n"] == 2


def test_a_unique_index_holds_at_the_other(pair, project):
    collection = project.collection(indexes=[{"keys": {"mail": 1}, "unique": True}])
    documents = f"/admin/collections/{collection}/documents"
    ok(project.admin.post(documents, {"mail": "a@b.c"}), 201)
    refused(at(pair[1], project.admin).post(documents, {"mail": "a@b.c"}), 409, "CONFLICT")


def test_a_socket_hears_the_writes_of_the_other(pair, project):
    collection = project.collection()
    documents = f"/admin/collections/{collection}/documents"
    user = project.end_user()
    with Live(pair[1], user.token) as live:
        live.follow(collection)
        for n in range(30):
            ok(at(pair[n % 2], project.admin).post(documents, {"n": n}), 201)
        assert [live.event()["document"]["n"] for _ in range(30)] == list(range(30))


def test_a_policy_bites_at_the_other(pair, project):
    collection = project.collection()
    user = project.end_user()
    there = at(pair[1], user)
    there.create(collection, {"n": 1})
    ok(project.admin.put(f"/admin/collections/{collection}/policy", {"read": {}}), 204)
    wait_until(lambda: there.post(f"/{collection}", {"n": 2}).status_code == 403, 10)


def test_a_role_bites_at_the_other(pair, project):
    role = project.role("documents:read")
    member = project.member(role)
    there = at(pair[1], member)
    assert there.get("/admin/collections").status_code in (200, 403)
    ok(project.owner.delete(f"/control/projects/{project.id}/members/{member.user.id}"), 204)
    wait_until(lambda: there.get("/admin/collections").status_code == 401, 10)


def test_a_sign_out_ends_at_the_other(pair, project):
    user = project.end_user()
    there = at(pair[1], user)
    (session,) = ok(there.get("/auth/sessions"))["sessions"]
    ok(user.delete(f"/auth/sessions/{session['id']}"), 204)
    wait_until(lambda: there.get("/auth/sessions").status_code == 401, 10)


def test_each_delivery_and_trigger_happens_once(pair, project):
    receiver = Receiver()
    collection = project.collection()
    path = hook(project, receiver, collection)
    trigger = {"type": "database", "collection": collection, "events": ["insert"]}
    function = Function(project, "return event.document.n;", trigger)
    documents = f"/admin/collections/{collection}/documents"
    for n in range(40):
        ok(at(pair[n % 2], project.admin).post(documents, {"n": n}), 201)
    wait_until(lambda: len(receiver.at(path)) >= 40, 60, lambda: f"{numbers_at(receiver, path)}")
    function.logged(40, 60)
    # What comes twice would come before what was written after it.
    ok(project.admin.post(documents, {"n": 40}), 201)
    wait_until(lambda: 40 in numbers_at(receiver, path), 60)
    function.logged(41, 60)
    assert sorted(numbers_at(receiver, path)) == list(range(41))
    assert len(function.runs(limit=200)) == 41
    receiver.close()


def test_a_schedule_fires_once(pair, project):
    function = Function(project, "return 1;", {"type": "cron", "schedule": "* * * * *"})
    function.logged(2, 150)
    fires = [run["startedAt"][:16] for run in function.runs(limit=50)]
    assert len(fires) == len(set(fires))
    function.delete()


def test_the_first_registration_makes_one_operator(mongo, tmp_path):
    settings = settings_of(mongo)
    servers = [Server(tmp_path / name, settings) for name in ("a", "b")]
    try:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda server: server.start(), servers))

        def register(number: int) -> dict:
            server = servers[number % 2]
            body = {"email": f"{unique('first')}@example.com", "password": PASSWORD, **server.setup_code()}
            answer = Api(server).post("/control/auth/register", body, address=fresh_address())
            return answer.json().get("user", {}) if answer.status_code == 201 else {}

        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(register, range(8)))
        assert sum(1 for user in made if user.get("platformRole") == "super-admin") == 1, made
    finally:
        for server in servers:
            server.stop()


def test_files_on_a_disk_are_refused_to_a_second_server(mongo, tmp_path):
    settings = settings_of(mongo, SERVICE_STORAGE="local")
    first = Server(tmp_path / "a", settings).start()
    try:
        second = Server(tmp_path / "b", settings).spawn()
        assert second.process.wait(60) != 0
        assert "SERVICE_STORAGE=s3" in second.log()
        second.kill()
        assert first.alive()
    finally:
        first.stop()
    # One that ended in order refuses nothing.
    Server(tmp_path / "c", settings).start().stop()


def test_a_killed_server_loses_nothing(mongo, tmp_path):
    settings = settings_of(mongo)
    a, b = (Server(tmp_path / name, settings).start() for name in ("a", "b"))
    receiver = Receiver()
    try:
        project = PlatformUser(a).create_project()
        collection = project.collection()
        path = hook(project, receiver, collection)
        documents = f"/admin/collections/{collection}/documents"
        # The first deliveries hang, so that jobs run when the server dies.
        killed = threading.Event()
        receiver.answers[path] = [lambda _: killed.wait(60) and 204] * 4 + [204]
        for n in range(20):
            ok(project.admin.post(documents, {"n": n}), 201)
        wait_until(lambda: receiver.at(path), 30)
        a.kill()
        killed.set()
        there = at(b, project.admin)
        for n in range(20, 30):
            ok(there.post(documents, {"n": n}), 201)
        wait_until(lambda: set(numbers_at(receiver, path)) == set(range(30)), 120, lambda: f"{numbers_at(receiver, path)}")
        # At least once: again only what ran when the server was killed.
        twice = len(numbers_at(receiver, path)) - 30
        assert twice <= 8, sorted(numbers_at(receiver, path))
    finally:
        receiver.close()
        a.kill()
        b.stop()


def test_each_finds_the_embeddings_that_the_other_stores(mongo, tmp_path):
    """Both embed texts of one field at a time, so that their commits meet."""
    embeddings = Embeddings()
    settings = settings_of(mongo, **embeddings.settings())
    servers = [Server(tmp_path / name, settings).start() for name in ("a", "b")]
    try:
        project = PlatformUser(servers[0]).create_project()
        space = Space(project, name="meaning", dimensions=DIMENSIONS, mode="auto", source={"fields": ["title"]})
        both = [at(server, project.admin) for server in servers]
        ids = {f"d{n}" for n in range(24)}

        def write(number: int) -> None:
            for id in sorted(ids)[number::2]:
                ok(both[number].post(space.documents(), {"id": id, "title": "text"}), 201)
                ok(both[1 - number].patch(space.documents(id), {"$set": {"title": f"word{id}"}}))

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(write, range(2)))
        for api in both:
            wait_until(lambda: {hit["id"] for hit in space.hits(caller=api, text="text", limit=100)} == ids, 60)
            for id in sorted(ids):
                wait_until(lambda: [hit["id"] for hit in space.hits(caller=api, text=f"word{id}", limit=1)] == [id], 60)
    finally:
        for server in servers:
            server.stop()
        embeddings.close()


def test_databases_of_owners_are_followed_by_the_other(pair, mongo):
    """Created, changed, suspended and resumed at one server: the other uses the database at once."""
    owner = PlatformUser(pair[0])
    url = mongo.database(f"owned{RUN}")
    made = Project(owner, ok(owner.post("/control/projects", {"name": "Shop", "mongoUrl": url}), 201)["project"])
    there = at(pair[1], made.admin)
    # Made at the other server, so that it is in the owner's database only if that server knows of it.
    ok(there.post("/admin/collections", {"name": "posts"}), 201)
    ok(there.put("/admin/collections/posts/policy", OPEN_POLICY), 204)
    created = there.create("posts", {"n": 1})
    with pymongo.MongoClient(url) as client:
        assert client.get_default_database().posts.find_one()["id"] == created["id"]
    assert ok(made.admin.get(f"/posts/{created['id']}"))["document"] == created

    path = f"/control/projects/{made.id}"
    ok(owner.post(f"{path}/suspend"), 204)
    wait_until(lambda: there.get("/posts").status_code == 403)
    ok(owner.post(f"{path}/resume"), 204)
    wait_until(lambda: there.get("/posts").status_code == 200)

    other = mongo.database(f"moved{RUN}")
    with pymongo.MongoClient(other) as client:
        client.get_default_database().create_collection("posts")
    ok(owner.patch(path, {"mongoUrl": other}), 204)
    # A call that began before may be refused.
    wait_until(lambda: there.get("/posts").json().get("documents") == [])
    ok(there.post("/posts", {"n": 2}), 201)
    with pymongo.MongoClient(other) as client:
        assert client.get_default_database().posts.find_one()["n"] == 2


def test_a_backup_while_two_servers_write(pair, project, tmp_path):
    """It holds what was acknowledged before, or says that it was not of one moment: the test server does not read as of
    one, so that either may come. Once nothing is written it is whole."""
    collection = project.collection()
    documents = f"/admin/collections/{collection}/documents"
    ended = threading.Event()
    acknowledged: list[list[str]] = [[], []]

    def write(number: int) -> None:
        api = at(pair[number], project.admin)
        while not ended.is_set():
            made = ok(api.post(documents, {"writer": number}), 201)["document"]
            acknowledged[number].append(made["id"])

    def found_in(backup, name: str) -> set:
        data = tmp_path / name
        settings = {key: value for key, value in pair[0].settings.items() if key != "MONGO_URL"}
        done(run("restore", "--from", backup, data=data, settings={"SERVICE_SECRET": settings["SERVICE_SECRET"]}))
        assert "no problems" in done(run("check", data=data))
        restored = Server(tmp_path / f"server-{name}", settings, data=data).start()
        try:
            api, ids = at(restored, project.admin), set()
            while page := ok(api.get(documents, params={"limit": 1000, "skip": len(ids)}))["documents"]:
                ids |= {each["id"] for each in page}
            return ids
        finally:
            restored.stop()

    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write, number) for number in range(2)]
        try:
            wait_until(lambda: min(map(len, acknowledged)) >= 30 or any(each.done() for each in writers), 60)
            sure = set().union(*acknowledged)
            backup = tmp_path / "during"
            ran = run("backup", "--to", backup, data=pair[0].data, settings=pair[0].settings)
        finally:
            ended.set()
        for writer in writers:
            writer.result()
    final = set().union(*acknowledged)
    if ran.returncode == 0:
        assert sure <= found_in(backup, "during-data") <= final
    else:
        complains(ran, "it changed while it was read")
        assert not backup.exists()
    done(run("backup", "--to", tmp_path / "after", data=pair[0].data, settings=pair[0].settings))
    assert found_in(tmp_path / "after", "after-data") == final
