"""The plan's limit of vectors: of documents, and of the embeddings of their texts."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from support.billing import BILLED, OPERATOR, Payer, plan_limit, usage
from support.client import PlatformUser, Project, ok, refused
from support.commands import done, result, run
from support.embeddings import DIMENSIONS
from support.function import Function
from support.vectors import Space
from support.waiting import wait_until

VECTOR = [1, 0, 0, 0]
OTHER = [0, 1, 0, 0]
CONFIG = {"fields": [{"name": "embedding", "dimensions": 4, "mode": "manual"}]}


@pytest.fixture(scope="module")
def server_settings(embeddings) -> dict:
    return {**BILLED, **embeddings.settings()}


@pytest.fixture
def make_project(make_payer):
    """Makes projects whose owner has a limit of vectors."""
    return lambda vectors: make_payer(vectors=vectors).create_project()


def texts(project: Project) -> Space:
    """A collection whose titles are embedded."""
    return Space(project, name="meaning", dimensions=DIMENSIONS, mode="auto", source={"fields": ["title"]})


def vector_limit(max: int, use: int) -> str:
    return plan_limit("vectors", max, use, "vectors")


def full(response, max: int, use: int) -> None:
    """Checks the refusal, with the limit and the use that it states."""
    assert refused(response, 403, "PLAN_LIMIT")["message"] == vector_limit(max, use)


def counted(project: Project, vectors: int) -> None:
    """Waits until the meter shows the number: jobs bring it up to configs and deleted texts."""
    wait_until(lambda: usage(project)["vectors"] == vectors, 30, lambda: str(usage(project)))


# ---- documents


def test_up_to_the_limit_exactly(make_project):
    project = make_project(3)
    space = Space(project)
    space.configure(space.field, {"name": "second", "dimensions": 4})
    space.put("a", VECTOR, second=OTHER)
    assert usage(project)["vectors"] == 2
    full(space.admin.post(space.documents(), {"embedding": VECTOR, "second": OTHER}), 3, 2)
    space.put("b", VECTOR)
    full(space.admin.post(space.documents(), {"embedding": VECTOR}), 3, 3)
    full(space.admin.patch(space.documents("b"), {"second": OTHER}), 3, 3)
    full(space.admin.put(space.documents("b"), {"embedding": VECTOR, "second": OTHER}), 3, 3)
    assert "second" not in ok(space.admin.get(space.documents("b")))["document"]
    space.put("plain", title="no vector")
    ok(space.admin.patch(space.documents("b"), {"embedding": OTHER, "title": "changed"}))
    assert usage(project)["vectors"] == 3
    ok(space.admin.patch(space.documents("b"), {"embedding": None}))
    space.put("c", VECTOR)
    full(space.admin.post(space.documents(), {"embedding": VECTOR}), 3, 3)
    ok(space.admin.delete(space.documents("a")), 204)
    assert usage(project)["vectors"] == 1
    space.put("d", VECTOR, second=VECTOR)
    project.owner.pin(vectors=None)
    space.put("e", VECTOR)
    assert usage(project)["vectors"] == 4


def test_the_data_plane(make_project):
    project = make_project(1)
    collection = project.collection()
    ok(project.admin.put(f"/admin/collections/{collection}/vector-config", CONFIG), 204)
    key = project.api_key("read", "write")
    made = key.create(collection, {"embedding": VECTOR})
    full(key.post(f"/{collection}", {"embedding": VECTOR}), 1, 1)
    other = key.create(collection, {"title": "x"})
    full(key.patch(f"/{collection}/{other['id']}", {"embedding": VECTOR}), 1, 1)
    full(key.put(f"/{collection}/{other['id']}", {"embedding": VECTOR}), 1, 1)
    ok(key.patch(f"/{collection}/{made['id']}", {"embedding": OTHER}), 204)
    ok(key.delete(f"/{collection}/{made['id']}"), 204)
    ok(key.patch(f"/{collection}/{other['id']}", {"embedding": VECTOR}), 204)


def test_a_lower_limit_deletes_nothing(make_project):
    project = make_project(10)
    space = Space(project)
    space.fill({id: VECTOR for id in "abc"})
    project.owner.pin(vectors=1)
    full(space.admin.post(space.documents(), {"embedding": VECTOR}), 1, 3)
    assert ok(space.admin.get(space.documents("a")))["document"]["embedding"] == VECTOR
    assert set(space.ids(VECTOR)) == set("abc")
    ok(space.admin.patch(space.documents("a"), {"embedding": OTHER}))
    for id in "ab":
        ok(space.admin.delete(space.documents(id)), 204)
    full(space.admin.post(space.documents(), {"embedding": VECTOR}), 1, 1)
    ok(space.admin.delete(space.documents("c")), 204)
    space.put("d", VECTOR)


def test_a_limit_of_nothing(make_project):
    project = make_project(0)
    space = Space(project)
    full(space.admin.post(space.documents(), {"embedding": VECTOR}), 0, 0)
    space.put("a", title="x")
    assert usage(project)["vectors"] == 0


def test_the_meter_follows_the_config(make_project):
    project = make_project(None)
    collection = project.collection()
    for number in range(130):
        ok(project.admin.post(f"/admin/collections/{collection}/documents", {"embedding": VECTOR}), 201)
    assert usage(project)["vectors"] == 0
    route = f"/admin/collections/{collection}/vector-config"
    ok(project.admin.put(route, CONFIG), 204)
    counted(project, 130)
    ok(project.admin.delete(route), 204)
    counted(project, 0)
    ok(project.admin.put(route, CONFIG), 204)
    counted(project, 130)
    ok(project.admin.post(f"/admin/collections/{collection}/rename", {"to": f"{collection}-b"}), 204)
    ok(project.admin.post(f"/admin/collections/{collection}-b/documents", {"embedding": VECTOR}), 201)
    assert usage(project)["vectors"] == 131
    ok(project.admin.delete(f"/admin/collections/{collection}-b"), 204)
    counted(project, 0)


def test_graphql(make_project):
    project = make_project(1)
    numbers = {"type": "array", "items": {"type": "number"}}
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "embedding": numbers}}
    project.collection("posts", schema=schema)
    ok(project.admin.put("/admin/collections/posts/vector-config", CONFIG), 204)
    key = project.api_key("read", "write")

    def ask(query: str) -> dict:
        return ok(key.post("/graphql", {"query": query}))

    create = "mutation{createPosts(input: {embedding: [1, 0, 0, 0]}){id}}"
    id = ask(create)["data"]["createPosts"]["id"]
    answer = ask(create)
    assert answer["data"] == {"createPosts": None} or answer["data"] is None
    (error,) = answer["errors"]
    assert error["extensions"]["code"] == "PLAN_LIMIT" and error["message"] == vector_limit(1, 1)
    assert ask(f'mutation{{deletePosts(id: "{id}")}}').get("errors") is None
    assert ask(create).get("errors") is None


def test_functions(make_project):
    project = make_project(3)
    space = Space(project)
    code = (
        "const db = ctx.db, { collection, call } = event.payload;"
        "try { return call === 'insert'"
        " ? await db.insertOne(collection, { embedding: [1, 0, 0, 0] })"
        " : await db.updateMany(collection, {}, { $set: { second: [1, 0, 0, 0] } });"
        "} catch (error) { return [error.code, error.message]; }"
    )
    function = Function(project, code, {"type": "http", "method": "POST", "path": "/write"})

    def call(what: str):
        return function.invoke({"collection": space.collection, "call": what})["result"]

    space.configure(space.field, {"name": "second", "dimensions": 4})
    assert call("insert")["embedding"] == VECTOR
    assert call("insert")["embedding"] == VECTOR
    # Of two documents the first passes, and stays.
    assert call("update") == ["PLAN_LIMIT", vector_limit(3, 3)]
    assert call("insert") == ["PLAN_LIMIT", vector_limit(3, 3)]
    assert usage(project)["vectors"] == 3


# ---- embeddings


@pytest.mark.long(run="waits")
@pytest.mark.timeout(180)
def test_embeddings_without_space_wait(make_project, embeddings):
    project = make_project(2)
    space = texts(project)
    before = len(embeddings.texts())
    for number in range(5):
        space.put(f"d{number}", title=f"the text {number}")
    state = space.until(lambda state: state["embedding"]["embedded"] == 2 and state["embedding"]["waiting"] == 1)
    assert state["problem"] == vector_limit(2, 2)
    assert usage(project)["vectors"] == 2
    assert len(embeddings.texts()) == before + 2
    # A vector of a document has no space either, a changed text needs none.
    manual = Space(project)
    full(manual.admin.post(manual.documents(), {"embedding": VECTOR}), 2, 2)
    embedded = [f"d{number}" for number in range(5) if f"the text {number}" in embeddings.texts()[before:]]
    ok(space.admin.patch(space.documents(embedded[0]), {"title": "another text"}))
    wait_until(lambda: "another text" in embeddings.texts(), 30)
    ok(space.admin.delete(space.documents(embedded[1])), 204)
    counted(project, 1)
    # One of those that wait gets the space of the deleted one, all others that of the higher limit.
    space.until(lambda state: state["embedding"]["embedded"] == 2, 60)
    assert usage(project)["vectors"] == 2
    project.owner.pin(vectors=4)
    space.until(lambda state: state["embedding"]["embedded"] == 4 and not state["embedding"]["waiting"], 60)
    assert usage(project)["vectors"] == 4
    assert len(embeddings.texts()) == before + 6
    assert "problem" not in space.index()


# ---- many at once, restarts, copies


def test_many_at_once_fill_the_limit_exactly(make_project):
    project = make_project(100)
    space = Space(project)

    def create(number: int) -> int:
        response = space.admin.post(space.documents(), {"n": number, "embedding": VECTOR})
        if response.status_code != 201:
            refused(response, 403, "PLAN_LIMIT")
        return response.status_code

    for limit in (100, 200):
        project.owner.pin(vectors=limit)
        with ThreadPoolExecutor(32) as pool:
            statuses = list(pool.map(create, range(200)))
        assert statuses.count(201) == 100
        assert usage(project)["vectors"] == limit
        full(space.admin.post(space.documents(), {"embedding": VECTOR}), limit, limit)


def test_what_is_stored_counts_after_a_crash(make_server, server_settings):  # noqa: F811
    server = make_server(server_settings).start()
    project = Payer(PlatformUser(server, OPERATOR), vectors=20).create_project()
    manual, automatic = Space(project), texts(project)
    manual.fill({f"m{number}": VECTOR for number in range(10)})
    for number in range(5):
        automatic.put(f"t{number}", title=f"text {number}")
    automatic.embedded(5)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: manual.put(f"n{number}", VECTOR), range(4)))
    server.kill()
    server.start()
    assert usage(project)["vectors"] == 19
    manual.put("last", VECTOR)
    full(manual.admin.post(manual.documents(), {"embedding": VECTOR}), 20, 20)


def test_a_restore_is_not_refused(make_project, server, tmp_path):
    project = make_project(None)
    manual, automatic = Space(project), texts(project)
    manual.fill({"a": VECTOR, "b": OTHER})
    automatic.put("t", title="a text")
    automatic.embedded(1)
    backup = tmp_path / "backup"
    done(run("backup", "--to", backup, "--project", project.slug, data=server.data))
    project.owner.pin(vectors=1)
    line = ["--from", backup, "--project", project.slug, "--as", f"{project.slug}-copy"]
    copied = result(run("restore", *line, "--owner", project.owner.email, "--json", data=server.data))
    copy = project.owner.exchange(copied["id"])
    assert ok(copy.get("/admin/usage"))["usage"]["vectors"] == 3
    full(copy.post(manual.documents(), {"embedding": VECTOR}), 1, 3)
    ok(copy.delete(manual.documents("a")), 204)
    wait_until(lambda: ok(copy.get("/admin/usage"))["usage"]["vectors"] == 2, 30)
