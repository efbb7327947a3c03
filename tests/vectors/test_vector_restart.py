"""Indexes over stops, kills, corruption and backups: acknowledged writes are found, and a stop needs no rebuild."""

import random
import threading

import pytest

from support import mongo_server
from support.client import PlatformUser, ok
from support.commands import done, run
from support.vectors import Space, nearest, random_vector
from support.waiting import SLOW, wait_until

DIMENSIONS = 8


@pytest.fixture
def deployment(make_server):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    project.admin.token = project.api_key("admin").token
    return server, project, Space(project, dimensions=DIMENSIONS)


def lines(server, message: str) -> int:
    return server.log_path.read_text(errors="replace").count(message)


def fill(space, count: int, seed: int = 1) -> dict:
    chance = random.Random(seed)
    vectors = {f"d{n:04}": random_vector(chance, DIMENSIONS) for n in range(count)}
    space.fill(vectors)
    return vectors


def expect_exact(space, vectors: dict) -> None:
    """Few enough vectors for an exact result."""
    chance = random.Random(99)
    for _ in range(5):
        query = random_vector(chance, DIMENSIONS)
        assert space.ids(query, limit=10) == nearest(vectors, query, 10)


def test_a_stop_and_a_start_need_no_rebuild(deployment):
    server, _, space = deployment
    vectors = fill(space, 200)
    expect_exact(space, vectors)
    server.stop()
    built = lines(server, "vector index built")
    server.start()
    expect_exact(space, vectors)
    assert space.index()["vectors"] == 200
    assert lines(server, "vector index built") == built == 1
    assert lines(server, "vector index loaded") == 1


def test_what_was_written_while_no_index_was_there_is_caught_up_with(deployment):
    server, _, space = deployment
    vectors = fill(space, 50)
    expect_exact(space, vectors)
    server.stop()
    server.start()
    for n in range(0, 50, 5):
        ok(space.admin.delete(space.documents(f"d{n:04}")), 204)
        del vectors[f"d{n:04}"]
    space.put("new", [1.0] * DIMENSIONS)
    vectors["new"] = [1.0] * DIMENSIONS
    server.kill()
    server.start()
    expect_exact(space, vectors)
    assert lines(server, "vector index built") == 1


@pytest.mark.parametrize("seed", range(3))
def test_kills_lose_nothing_that_was_acknowledged(deployment, seed):
    server, project, space = deployment
    chance = random.Random(seed)
    known: dict = {}
    for round in range(3):
        doubtful: set = set()
        started = threading.Event()

        def write(worker: int) -> None:
            own = random.Random(f"{seed} {round} {worker}")
            while True:
                id = f"w{worker}d{own.randrange(40)}"
                vector = random_vector(own, DIMENSIONS)
                doubtful.add(id)
                try:
                    if id not in known:
                        response = space.admin.post(space.documents(), {"id": id, "embedding": vector})
                    elif own.random() < 0.3:
                        response, vector = space.admin.delete(space.documents(id)), None
                    else:
                        response = space.admin.patch(space.documents(id), {"embedding": vector})
                except Exception:
                    return
                assert response.status_code in (200, 201, 204), response.text
                known[id] = vector
                if vector is None:
                    del known[id]
                doubtful.discard(id)
                started.set()

        workers = [threading.Thread(target=write, args=(n,)) for n in range(4)]
        for worker in workers:
            worker.start()
        assert started.wait(20 * SLOW)
        server.process.kill() if not threading.Event().wait(chance.random()) else None
        for worker in workers:
            worker.join()
        server.kill()
        server.start()
        # Writes in progress may have been stored or not; the store shows which.
        for id in doubtful:
            response = space.admin.get(space.documents(id))
            known.pop(id, None)
            if response.status_code == 200:
                known[id] = response.json()["document"]["embedding"]
        expect_exact(space, known)
        found = space.hits([1.0] * DIMENSIONS, limit=1000)
        assert {hit["id"] for hit in found} == set(known)
        assert all(hit["embedding"] == known[hit["id"]] for hit in found)


@pytest.mark.parametrize("how", ["cut", "flipped", "empty", "gone"])
def test_a_corrupt_file_is_rebuilt(deployment, how):
    server, _, space = deployment
    vectors = fill(space, 60)
    expect_exact(space, vectors)
    server.stop()
    (file,) = (server.data / "vectors").rglob("*.hnsw")
    raw = bytearray(file.read_bytes())
    if how == "gone":
        file.unlink()
    else:
        raw[len(raw) // 2] ^= 0x40
        file.write_bytes({"cut": raw[: len(raw) // 3], "flipped": raw, "empty": b""}[how])
    server.start()
    expect_exact(space, vectors)
    assert lines(server, "vector index built") == 2


def test_files_go_with_what_they_belong_to(deployment):
    server, project, space = deployment
    expect_exact(space, fill(space, 20))
    other = Space(project, dimensions=DIMENSIONS)
    expect_exact(other, fill(other, 20))
    server.stop()
    assert len(list((server.data / "vectors").rglob("*.hnsw"))) == 2
    server.start()
    ok(project.admin.delete(f"/admin/collections/{other.collection}"), 204)
    ok(space.admin.delete(space.route), 204)
    server.stop()
    server.start()
    wait_until(lambda: not list((server.data / "vectors").rglob("*.hnsw")), 20, "files of indexes are left")


def test_backups_leave_indexes_out_and_restores_rebuild_them(deployment, make_server, tmp_path):
    server, _, space = deployment
    vectors = fill(space, 60)
    expect_exact(space, vectors)
    backup = tmp_path / "backup"
    done(run("backup", "--to", backup, "--with-secret", data=server.data))
    assert not list(backup.rglob("*.hnsw"))
    server.stop()
    done(run("check", data=server.data))
    if not mongo_server.IS_STORE:
        done(run("compact", data=server.data))
    done(run("restore", "--from", backup, data=tmp_path / "restored"))
    restored = make_server(data=tmp_path / "restored").start()
    space.admin.server = restored
    expect_exact(space, vectors)


@pytest.mark.embedded("the MongoDB-protocol server of the tests stops responding when it has stored so much")
def test_an_index_that_does_not_fit_is_refused_honestly(make_server):
    server = make_server({"SERVICE_VECTOR_MEMORY": "16MiB"}).start()
    project = PlatformUser(server).create_project()
    space = Space(project, dimensions=4096)
    chance = random.Random(3)
    vector = [round(chance.random(), 2) for _ in range(4096)]
    space.put("first", vector)
    assert space.ids(vector) == ["first"]
    for n in range(1100):
        space.put(f"d{n}", vector)
        if n % 100 == 99 and space.search(vector=vector).status_code == 503:
            break
    response = space.search(vector=vector)
    assert response.status_code == 503 and "SERVICE_VECTOR_MEMORY" in response.text
    assert space.index()["state"] == "failed" and "SERVICE_VECTOR_MEMORY" in space.index()["problem"]
    # Documents are still written and read.
    space.put("last", vector)
