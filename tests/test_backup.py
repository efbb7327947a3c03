"""`manybase backup` and `manybase restore`: a restore gives everything back, or fails and changes nothing."""

import json
import os
import shutil
import stat
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.client import PASSWORD, Api, EndUser, PlatformUser, Project, ok, refused, unique
from support.commands import complains, done, result, run
from support.server import Server, binary

SECRET = "iLvbB7dXrzMqz6dCVKTYPpOG3dmMXGsTlV0hXTgl3oo="
# The issuer of tokens stays the same after a restore on another address.
SETTINGS = {"SERVICE_SECRET": SECRET, "SERVICE_BASE_URL": "https://api.example.com"}
OTHER_SECRET = "mFv3DnbYnXtH0cV9LZrUhUFqZb4Y2x9tQ4uGz7eV0pk="


def everything(project: Project, admin: Api | None = None) -> dict:
    """Returns everything in a project, as its owner sees it."""
    admin = admin or project.admin
    names = ok(admin.get("/admin/collections"))["collections"]
    return {
        "collections": {
            name: {
                part: ok(admin.get(f"/admin/collections/{name}/{part}", params={"limit": 1000} if last else None))
                for part, last in (("schema", 0), ("policy", 0), ("indexes", 0), ("documents", 1))
            }
            for name in names
        },
        "users": ok(admin.get("/admin/users")),
        "roles": ok(admin.get("/admin/roles")),
        "enduser-roles": ok(admin.get("/admin/enduser-roles")),
    }


def live_in(project: Project) -> tuple[EndUser, Api]:
    """Creates an entry of every kind; returns an end user and a key."""
    things = project.collection(
        "Things",
        schema={"type": "object", "properties": {"n": {"type": "integer"}}},
        indexes=[
            {"keys": {"n": 1}, "unique": True},
            {"keys": {"tags": -1, "n": 1}, "sparse": True},
            {"keys": {"when": 1}, "expireAfterSeconds": 10**9},
        ],
    )
    project.collection("Empty", policy=None)
    user, key = project.end_user(), project.api_key("read", "write")
    project.role("audit:read", name="auditors")
    project.enduser_role("read", name="readers")
    for n in range(30):
        user.create(
            things,
            {
                "n": n,
                "tags": ["a", "b"][: n % 3],
                "big": 2**53 + 1,
                "price": {"$numberDecimal": "1.10"},
                "when": {"$date": "2026-01-01T00:00:00Z"},
                "of": project.id,
            },
        )
    return user, key


@pytest.fixture
def deployment(make_server):
    server = make_server(SETTINGS).start()
    owner = PlatformUser(server)
    project = owner.create_project()
    user, key = live_in(project)
    return server, owner, project, user, key


def restored(make_server, data) -> Server:
    return make_server(SETTINGS, data=data)


def well(data) -> None:
    assert "no problems" in done(run("check", data=data))


def as_project(owner: PlatformUser, server: Server, name: str) -> Project:
    """Returns the project with this id or slug, through an owner's account on another server."""
    again = PlatformUser.__new__(PlatformUser)
    Api.__init__(again, server)
    again.email, again.id = owner.email, owner.id
    again.login()
    for wire in ok(again.get("/control/projects"))["projects"]:
        if name in (wire["id"], wire["slug"]):
            return Project(again, wire)
    raise AssertionError(f"{owner.email} has no project {name}")


# ---- a whole deployment


@pytest.mark.parametrize("running", [True, False])
def test_a_deployment_comes_back(deployment, make_server, tmp_path, running):
    server, owner, project, user, key = deployment
    before = everything(project)
    if not running:
        server.stop()
    backup = tmp_path / "backups" / "b"
    backup.parent.mkdir()
    settings = {"SERVICE_SECRET": SECRET}
    report = result(run("backup", "--to", backup, "--json", data=server.data, settings=settings))
    assert report["path"] == str(backup) and report["counts"]["projects"] == 1 and not report["secretIncluded"]
    assert [path.name for path in backup.parent.iterdir()] == ["b"]
    assert not (backup / "secret").exists()

    data = tmp_path / "new" / "data"
    data.parent.mkdir()
    assert "restored 1 projects, 2 collections" in done(run("restore", "--from", backup, data=data, settings=settings))
    well(data)
    assert stat.S_IMODE(data.stat().st_mode) == 0o700 and not (data / "restoring").exists()
    other = restored(make_server, data).start()
    assert everything(as_project(owner, other, project.slug)) == before
    # Sessions and keys are valid on the restored server.
    user.server = key.server = other
    ok(user.get("/auth/sessions"))
    assert len(key.list("Things", {"n": {"$gte": 10}})) == 20
    refused(key.post("/Things", {"n": 3}), 409)
    assert key.create("Things", {"n": 1000})["id"] > max(document["id"] for document in key.list("Things")[:-1])


def test_anybody_can_verify_a_backup(deployment, tmp_path):
    server, *_ = deployment
    for number, arguments in enumerate(((), ("--project", deployment[2].slug))):
        backup = tmp_path / f"b{number}"
        done(run("backup", "--to", backup, *arguments, data=server.data))
        sums = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=backup, capture_output=True)
        assert sums.returncode == 0, sums.stdout
        manifest = json.loads((backup / "manifest.json").read_text())
        listed = {file["path"] for file in manifest["files"]} | {"manifest.json", "SHA256SUMS"}
        assert listed == {str(path.relative_to(backup)) for path in backup.rglob("*") if path.is_file()}
        assert manifest["format"] == 1 and manifest["serverVersion"] and manifest["createdAt"].endswith("Z")
        assert manifest["counts"]["documents"] > 30
        for path in backup.rglob("*"):
            assert stat.S_IMODE(path.stat().st_mode) in (0o700, 0o600), path


def test_into_a_directory_of_backups(deployment, tmp_path):
    server, _, project, *_ = deployment
    whole = result(run("backup", "--to", tmp_path, "--json", data=server.data))["path"]
    one = result(run("backup", "--to", tmp_path, "--project", project.id, "--json", data=server.data))["path"]
    assert os.path.basename(whole).startswith("manybase-2") and os.path.basename(one).startswith(project.slug + "-2")
    assert os.path.dirname(whole) == os.path.dirname(one) == str(tmp_path)


def test_the_path_is_the_callers(deployment, tmp_path):
    """A relative path is relative to the program's working directory, not to the server's."""
    done(run("backup", "--to", "here", data=deployment[0].data, cwd=tmp_path))
    assert (tmp_path / "here" / "manifest.json").exists()


# ---- the secret


def test_with_the_secret(make_server, tmp_path):
    server = make_server().start()  # generates its own secret
    owner = PlatformUser(server)
    project = owner.create_project()
    backup, data = tmp_path / "b", tmp_path / "data"
    assert "with the deployment's secret" in done(run("backup", "--to", backup, "--with-secret", data=server.data))
    assert (backup / "secret").read_text() == (server.data / "secret").read_text()
    done(run("restore", "--from", backup, data=data))
    assert (data / "secret").read_text() == (server.data / "secret").read_text()
    assert stat.S_IMODE((data / "secret").stat().st_mode) == 0o600
    other = make_server(data=data).start()
    as_project(owner, other, project.id)


def test_without_the_secret(make_server, tmp_path):
    server = make_server().start()
    PlatformUser(server)
    backup, data = tmp_path / "b", tmp_path / "data"
    done(run("backup", "--to", backup, data=server.data))
    complains(run("restore", "--from", backup, data=data), "without the deployment's secret")
    assert not data.exists()
    wrong = {"SERVICE_SECRET": OTHER_SECRET}
    complains(run("restore", "--from", backup, data=data, settings=wrong), "SERVICE_SECRET is not the secret of this backup")
    assert not data.exists()
    # The target's secret file is kept if it is the right one; no other file may exist there.
    data.mkdir()
    (data / "secret").write_text(OTHER_SECRET + "\n")
    complains(run("restore", "--from", backup, data=data), "the secret in the data directory is not the secret of this backup")
    (data / "secret").write_text((server.data / "secret").read_text())
    done(run("restore", "--from", backup, data=data))
    make_server(data=data).start()


def test_a_deployment_that_made_no_secret_yet(make_server, tmp_path):
    server = make_server({"SERVICE_SECRET": SECRET}).start()
    server.stop()
    complains(run("backup", "--to", tmp_path / "b", "--with-secret", data=server.data), "no secret")
    assert not (tmp_path / "b").exists()


# ---- under load


@pytest.mark.embedded("the test server does not read as of one moment, so that the backup is refused")
def test_a_backup_under_load(deployment, make_server, tmp_path):
    """The backup contains every write that was acknowledged before it began, no write that never happened, and passes
    the check."""
    server, owner, project, *_ = deployment
    ledger = project.collection("ledger", indexes=[{"keys": {"n": 1}, "unique": True}, {"keys": {"writer": 1, "n": 1}}])
    ended = threading.Event()
    acknowledged: list[dict[str, int]] = [{} for _ in range(4)]

    def write(writer: int) -> None:
        api = Api(server, project.admin.token)
        mine, serial = acknowledged[writer], writer
        while not ended.is_set():
            document = api.create(ledger, {"n": serial, "writer": writer, "step": 0, "pad": "x" * 300})
            mine[document["id"]] = 0
            for _ in range(2):
                ok(api.patch(f"/{ledger}/{document['id']}", {"step": mine[document["id"]] + 1}), 204)
                mine[document["id"]] += 1
            serial += 4

    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(write, writer) for writer in range(4)]
        backups = []
        try:
            for number in range(3):
                while sum(map(len, acknowledged)) < 60 * (number + 1) and not any(w.done() for w in writers):
                    pass
                sure = {id: step for each in acknowledged for id, step in dict(each).items()}
                backup = tmp_path / f"b{number}"
                one = ("--project", project.slug) if number == 1 else ()
                done(run("backup", "--to", backup, *one, data=server.data))
                backups.append((backup, one, sure))
        finally:
            ended.set()
        for writer in writers:
            writer.result()
    final = {id: step for each in acknowledged for id, step in each.items()}

    for number, (backup, one, sure) in enumerate(backups):
        if one:
            slug = unique("copy")
            done(run("restore", "--from", backup, *one, "--as", slug, data=server.data))
            copy, data = as_project(owner, server, slug), server.data
        else:
            data = tmp_path / f"data{number}"
            done(run("restore", "--from", backup, data=data, settings={"SERVICE_SECRET": SECRET}))
            well(data)
            copy = as_project(owner, restored(make_server, data).start(), project.slug)
        found = {}
        while len(found) % 1000 == 0:
            page = copy.admin.list(ledger, limit=1000, skip=len(found))
            found |= {document["id"]: document for document in page}
            if not page:
                break
        assert sure.keys() <= found.keys() <= final.keys()
        for id, document in found.items():
            assert sure.get(id, 0) <= document["step"] <= final[id]
        assert len(copy.admin.list(ledger, {"writer": 2}, limit=1000)) == sum(
            document["writer"] == 2 for document in found.values()
        )
        well(data)


# ---- one project


def test_a_project_as_a_new_one(deployment, tmp_path):
    server, owner, project, user, key = deployment
    member = project.member("Admin")
    ok(owner.post(f"/control/projects/{project.id}/members", {"email": "late@example.com", "role": "Viewer"}), 201)
    before = everything(project)
    backup = tmp_path / "b"
    report = result(run("backup", "--to", backup, "--project", project.slug, "--json", data=server.data))
    assert report["project"]["id"] == project.id
    report = result(
        run("restore", "--from", backup, "--project", project.id, "--as", "a-copy", "--json", data=server.data)
    )
    assert report["slug"] == "a-copy" and report["id"] != project.id
    assert (report["members"], report["invited"], report["otherSecret"]) == (2, 1, False)

    copy = as_project(owner, server, "a-copy")
    assert everything(copy) == before
    assert everything(project) == before
    # The two projects are independent from here on.
    assert copy.admin.create("Things", {"n": 500})["n"] == 500
    assert everything(project) == before
    ok(member.user.exchange(copy.id).get("/admin/collections"))
    statuses = {m["email"]: m["status"] for m in ok(owner.get(f"/control/projects/{copy.id}/members"))["members"]}
    assert statuses["late@example.com"] == "pending"
    late = PlatformUser(server, "late@example.com")
    assert {wire["slug"] for wire in ok(late.get("/control/projects"))["projects"]} == {project.slug, "a-copy"}
    # Accounts are restored; sessions and keys belong to the original only.
    ok(copy.public().post("/auth/login", {"email": user.email, "password": PASSWORD}))
    assert ok(copy.admin.get("/admin/api-keys"))["apiKeys"] == []
    refused(copy.public().post("/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}), 401)
    ok(key.get("/Things"))
    well(server.data)


def test_a_project_under_its_own_id(deployment, tmp_path):
    server, owner, project, user, key = deployment
    before = everything(project)
    backup = tmp_path / "b"
    done(run("backup", "--to", backup, "--project", project.id, data=server.data))
    line = ("restore", "--from", backup, "--project", project.slug)
    complains(run(*line, data=server.data), "is live here")
    assert everything(project) == before
    ok(owner.delete(f"/control/projects/{project.id}"), 204)
    refused(user.get("/auth/me"), 404)
    done(run(*line, data=server.data))
    again = as_project(owner, server, project.id)
    assert again.slug == project.slug and everything(again) == before
    ok(user.get("/auth/sessions"))
    assert len(key.list("Things")) == 30
    complains(run(*line, data=server.data), "is live here")
    # The replaced project stays deleted after a restart.
    server.stop()
    well(server.data)
    server.start()
    assert everything(as_project(owner, server, project.id)) == before


def test_a_project_out_of_a_whole_backup_without_a_server(deployment, tmp_path):
    server, owner, project, *_ = deployment
    before = everything(project)
    backup = tmp_path / "b"
    done(run("backup", "--to", backup, data=server.data))
    server.stop()
    settings = {"SERVICE_SECRET": SECRET}
    line = ("restore", "--from", backup, "--project", project.slug, "--as", "second")
    text = done(run(*line, data=server.data, settings=settings))
    assert "(second): 2 collections" in text and "another secret" not in text
    well(server.data)
    server.start()
    assert everything(as_project(owner, server, "second")) == before


def test_a_project_moves_to_another_deployment(deployment, make_server, tmp_path):
    server, owner, project, user, _ = deployment
    before = everything(project)
    backup = tmp_path / "b"
    done(run("backup", "--to", backup, "--project", project.slug, data=server.data))
    other = make_server({"SERVICE_SECRET": OTHER_SECRET}).start()
    line = ("restore", "--from", backup, "--project", project.slug)
    complains(run(*line, data=other.data), f"no owner of the project ({owner.email}) has an account here")
    complains(run(*line, "--owner", "nobody@example.com", data=other.data), "no account here")
    newcomer = PlatformUser(other)
    text = done(run(*line, "--owner", newcomer.email, data=other.data))
    assert "1 members, 1 invited" in text and "another secret" in text
    moved = as_project(newcomer, other, project.id)
    assert moved.wire["role"] == "Owner" and everything(moved) == before
    ok(moved.public().post("/auth/login", {"email": user.email, "password": PASSWORD}))
    PlatformUser(other, owner.email)
    assert as_project(owner, other, project.id).wire["role"] == "Owner"
    well(other.data)


def test_a_project_that_cannot_come(deployment, tmp_path):
    server, owner, project, *_ = deployment
    other = owner.create_project()
    backup = tmp_path / "b"
    done(run("backup", "--to", backup, "--project", project.slug, data=server.data))
    projects = ok(owner.get("/control/projects"))
    line = ("restore", "--from", backup, "--project")
    complains(run(*line, project.slug, "--as", other.slug, data=server.data), "is another project's")
    complains(run(*line, project.slug, "--as", project.slug, data=server.data), "is another project's")
    complains(run(*line, project.slug, "--as", "No Slug!", data=server.data), "a slug must be")
    complains(run(*line, other.slug, data=server.data), f"the backup holds the project {project.id}")
    complains(run("restore", "--from", backup, data=tmp_path / "d"), "backup of one project", 2)
    whole = tmp_path / "w"
    done(run("backup", "--to", whole, data=server.data))
    complains(run("restore", "--from", whole, "--project", "nobodys", data=server.data), "there is no project nobodys")
    complains(run("backup", "--to", tmp_path / "n", "--project", "nobodys", data=server.data), "there is no project")
    assert not (tmp_path / "n").exists()
    assert ok(owner.get("/control/projects")) == projects
    well(server.data)


# ---- errors, which change nothing


def damage(backup, how: str) -> str:
    """Corrupts a backup; returns the expected error message."""
    store = max((backup / "store").glob("*"), key=lambda path: path.stat().st_size)
    if how == "flipped":
        data = bytearray(store.read_bytes())
        data[len(data) // 2] ^= 1
        store.write_bytes(data)
        return f"the backup is corrupt: store/{store.name}"
    if how == "truncated":
        os.truncate(store, store.stat().st_size // 2)
        return f"the backup is corrupt: store/{store.name}"
    if how == "missing":
        store.unlink()
        return f"cannot read {store}"
    if how == "linked":
        shutil.move(store, backup.parent / "elsewhere")
        store.symlink_to(backup.parent / "elsewhere")
        return f"cannot read {store}"
    manifest = json.loads((backup / "manifest.json").read_text())
    if how == "manifest":
        manifest["counts"]["projects"] = 7
        (backup / "manifest.json").write_text(json.dumps(manifest))
        return "the backup is corrupt: manifest.json"
    if how == "no sums":
        (backup / "SHA256SUMS").unlink()
        return "SHA256SUMS"
    if how == "no manifest":
        (backup / "manifest.json").unlink()
        return "is not a backup"
    if how == "newer":
        manifest["format"] = 4
        (backup / "manifest.json").write_text(json.dumps(manifest))
        sums = subprocess.run(["sha256sum", "manifest.json"], cwd=backup, capture_output=True, text=True).stdout
        (backup / "SHA256SUMS").write_text(sums)
        return "made by a newer version of Manybase"
    shutil.rmtree(backup)
    return "there is no backup at"


@pytest.mark.parametrize(
    "how", ["flipped", "truncated", "missing", "linked", "manifest", "no sums", "no manifest", "newer", "gone"]
)
def test_a_damaged_backup(deployment, tmp_path, how):
    server, owner, project, *_ = deployment
    backup, data = tmp_path / "b", tmp_path / "data"
    done(run("backup", "--to", backup, data=server.data))
    message = damage(backup, how)
    settings = {"SERVICE_SECRET": SECRET}
    complains(run("restore", "--from", backup, data=data, settings=settings), message)
    assert not data.exists()
    before = ok(owner.get("/control/projects"))
    complains(run("restore", "--from", backup, "--project", project.slug, "--as", "x", data=server.data), message)
    assert ok(owner.get("/control/projects")) == before


def test_records_that_are_none(deployment, tmp_path):
    """A valid checksum does not make invalid records a project."""
    server, owner, project, *_ = deployment
    backup = tmp_path / "b"
    done(run("backup", "--to", backup, "--project", project.slug, data=server.data))
    whole = (backup / "project.bson").read_bytes()
    before = ok(owner.get("/control/projects"))
    end = whole.rindex(b"\x03end\x00") - 4
    for number, content in enumerate((b"", b"\x05\x00\x00\x00\x00", whole[:end], whole[: len(whole) // 2], whole * 2)):
        (backup / "project.bson").write_bytes(content)
        manifest = json.loads((backup / "manifest.json").read_text())
        sum = subprocess.run(["sha256sum", backup / "project.bson"], capture_output=True, text=True).stdout.split()[0]
        manifest["files"][0] |= {"bytes": len(content), "sha256": sum}
        (backup / "manifest.json").write_text(json.dumps(manifest))
        sums = subprocess.run(["sha256sum", "manifest.json"], cwd=backup, capture_output=True, text=True).stdout
        (backup / "SHA256SUMS").write_text(sums)
        line = ("restore", "--from", backup, "--project", project.slug, "--as", f"x{number}")
        complains(run(*line, data=server.data), "the backup is corrupt")
        assert ok(owner.get("/control/projects")) == before
    well(server.data)


def test_targets_that_are_wrong(deployment, tmp_path):
    server, *_ = deployment
    settings = {"SERVICE_SECRET": SECRET}
    taken = tmp_path / "taken"
    taken.write_text("x")
    complains(run("backup", "--to", taken, data=server.data), "exists already")
    complains(run("backup", "--to", tmp_path / "no" / "b", data=server.data), "does not exist")
    complains(run("backup", "--to", server.data / "b", data=server.data), "must be outside of the data directory")
    complains(run("backup", "--to", server.data, data=server.data), "must be outside of the data directory")
    backup = tmp_path / "b"
    done(run("backup", "--to", backup, data=server.data))
    complains(run("restore", "--from", backup, data=server.data, settings=settings), "is not empty")
    complains(run("restore", "--from", backup, data=taken, settings=settings), "Not a directory")
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").write_text("x")
    complains(run("restore", "--from", backup, data=full, settings=settings), "is not empty")
    assert [path.name for path in full.iterdir()] == ["mine"]
    assert taken.read_text() == "x"
    names = {path.name for path in tmp_path.iterdir() if not path.name.startswith("server")}
    assert names == {"b", "full", "taken"}


def test_an_interrupted_restore_is_not_served(deployment, make_server, tmp_path):
    server, *_ = deployment
    backup, data = tmp_path / "b", tmp_path / "data"
    done(run("backup", "--to", backup, data=server.data))
    (data / "restoring" / "store").mkdir(parents=True)
    (data / "restoring" / "store" / "000001.sst").write_text("half")
    half = restored(make_server, data).spawn()
    assert half.process.wait(30) == 1 and "did not end well: run it again" in half.log()
    half.process = None
    done(run("restore", "--from", backup, data=data, settings={"SERVICE_SECRET": SECRET}))
    restored(make_server, data).start()


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 4 MiB, if it can be mounted."""
    where = tmp_path / "small"
    where.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(where)], capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    yield where
    subprocess.run(["umount", str(where)], check=True)


def test_a_disk_that_is_too_small(deployment, small_disk, tmp_path):
    server, owner, project, *_ = deployment
    things = project.collection()
    noise = "".join(f"{os.urandom(16).hex()}" for _ in range(1000))
    for _ in range(200):
        project.admin.create(things, {"noise": noise[::-1] + os.urandom(8).hex()})
    for arguments in ((), ("--project", project.slug)):
        complains(run("backup", "--to", small_disk / "b", *arguments, data=server.data), "the disk is too full")
        assert list(small_disk.iterdir()) == []
    backup = tmp_path / "b"
    done(run("backup", "--to", backup, data=server.data))
    settings = {"SERVICE_SECRET": SECRET}
    complains(run("restore", "--from", backup, data=small_disk / "d", settings=settings), "the disk is too full")
    assert list(small_disk.iterdir()) == []


def test_a_kill_during_a_backup(deployment, tmp_path):
    """The incomplete backup is not accepted, and the next server removes its temporary files from its directory."""
    server, *_ = deployment
    for number in range(5):
        process = subprocess.Popen(
            [str(binary()), "backup", "--data", str(server.data), "--to", str(tmp_path / f"k{number}")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        server.kill()
        process.wait(60)
        backup = tmp_path / f"k{number}"
        assert not backup.exists() or json.loads((backup / "manifest.json").read_text())["format"] == 1
        server.start()
        assert not (server.data / "checkpoints").exists() or not list((server.data / "checkpoints").iterdir())
    server.stop()
    well(server.data)
