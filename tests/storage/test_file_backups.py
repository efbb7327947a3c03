"""Files in `manybase backup`, `restore` and `check`."""

import json
import os
import subprocess

import pytest

from support import mongo_server
from support.bucket import Bucket, blobs
from support.client import Api, PlatformUser, ok
from support.commands import done, result, run
from support.waiting import wait_until

SECRET = "iLvbB7dXrzMqz6dCVKTYPpOG3dmMXGsTlV0hXTgl3oo="
SETTINGS = {"SERVICE_SECRET": SECRET, "SERVICE_BASE_URL": "https://api.example.com"}
ENVIRONMENT = {"SERVICE_SECRET": SECRET}


class Deployment:
    def __init__(self, make_server):
        self.server = make_server(SETTINGS).start()
        self.owner = PlatformUser(self.server)
        self.project = self.owner.create_project()
        self.bucket = Bucket(self.project)
        self.key = self.project.api_key("admin")
        self.files = {"d/1": b"!"} | {f"d/{size}": os.urandom(size) for size in (0, 5_000, 400_000)}
        ok(self.bucket.put("d/1", b"?"), 201)
        ok(self.bucket.put("d/1", self.files["d/1"]), 201)
        # On the MongoDB-protocol server of the tests a backup fails where jobs end while it reads.
        wait_until(lambda: len(blobs(self.server.data)) == 1)
        for path in list(self.files)[1:]:
            ok(self.bucket.put(path, self.files[path]), 201)

    def found(self, api: Api) -> dict:
        listed = ok(api.get(f"/storage/{self.bucket.name}"))["files"]
        return {file["path"]: api.get(self.bucket.url(file["path"])).content for file in listed}


@pytest.fixture
def deployment(make_server):
    return Deployment(make_server)


@pytest.mark.parametrize("running", [True, False])
def test_all_files_come_back(deployment, make_server, tmp_path, running):
    if not running:
        deployment.server.stop()
    backup, data = tmp_path / "b", tmp_path / "data"
    done(run("backup", "--to", backup, data=deployment.server.data, settings=ENVIRONMENT))
    manifest = json.loads((backup / "manifest.json").read_text())
    assert manifest["format"] == 2
    assert sum(file["path"].startswith("files/") for file in manifest["files"]) == len(deployment.files)
    sums = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=backup, capture_output=True)
    assert sums.returncode == 0, sums.stdout
    done(run("restore", "--from", backup, data=data, settings=ENVIRONMENT))
    assert result(run("check", "--json", data=data))["files"] == len(deployment.files)
    other = make_server(SETTINGS, data=data).start()
    assert deployment.found(Api(other, deployment.key.token)) == deployment.files
    assert len(blobs(data)) == len(deployment.files)


@pytest.mark.parametrize("kind", ["project", "whole"])
def test_one_project_comes_back_beside_itself(deployment, tmp_path, kind):
    server, project = deployment.server, deployment.project
    backup = tmp_path / "b"
    which = ["--project", project.slug] if kind == "project" else []
    done(run("backup", "--to", backup, *which, data=server.data))
    ok(deployment.bucket.put("d/0", b"later"), 201)
    line = ["--from", backup, "--project", project.slug, "--as", "copied", "--owner", deployment.owner.email, "--json"]
    copied = result(run("restore", *line, data=server.data))
    copy = deployment.owner.exchange(copied["id"])
    assert deployment.found(copy) == deployment.files
    # Each project has files of its own.
    ok(copy.delete(deployment.bucket.url("d/5000")), 204)
    assert deployment.bucket.get("d/5000").content == deployment.files["d/5000"]
    assert result(run("check", "--json", data=server.data))["problems"] == []


def test_a_damaged_backup_brings_nothing_back(deployment, tmp_path):
    backup = tmp_path / "b"
    done(run("backup", "--to", backup, data=deployment.server.data, settings=ENVIRONMENT))
    largest = max((backup / "files").iterdir(), key=lambda path: path.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[1000] ^= 1
    largest.write_bytes(content)
    data = tmp_path / "data"
    ran = run("restore", "--from", backup, data=data, settings=ENVIRONMENT)
    assert ran.returncode == 1 and "corrupt" in ran.stderr
    assert not data.exists()


def test_check_names_what_is_missing_or_damaged(deployment, tmp_path):
    server = deployment.server
    assert result(run("check", "--json", data=server.data))["files"] == len(deployment.files)
    server.stop()
    whole = result(run("check", "--json", data=server.data))
    assert whole["problems"] == [] and whole["fileBytes"] == sum(map(len, deployment.files.values()))
    by_size = {path.stat().st_size: path for path in blobs(server.data)}
    by_size[5_000].write_bytes(b"x" * 5_000)
    by_size[400_000].unlink()
    (by_size[5_000].parent / ("1-" + "a" * 32)).write_bytes(b"nobody's")
    ran = run("check", "--json", data=server.data)
    assert ran.returncode == 1
    report = json.loads(ran.stdout)
    assert report["orphanedFiles"] == 1
    assert sorted(problem.rsplit(" ", 1)[1] for problem in report["problems"]) == ["corrupt", "missing"]
    assert any("d/5000" in problem for problem in report["problems"])
    backup = run("backup", "--to", tmp_path / "b", data=server.data)
    assert backup.returncode == 1 and not (tmp_path / "b").exists()


def test_a_killed_server_leaves_nothing(deployment, make_server):
    server = deployment.server
    server.kill()
    kept = blobs(server.data)
    half = server.data / "files" / "incoming" / ("1-" + "b" * 32)
    half.write_bytes(b"half")
    if not mongo_server.IS_STORE:  # where what no file refers to is removed an hour later
        orphan = kept[0].parent / (kept[0].name.split("-")[0] + "-" + kept[0].parent.name + "c" * 30)
        orphan.write_bytes(b"nobody's")
    server.start()
    wait_until(lambda: blobs(server.data) == kept)
    assert deployment.found(Api(server, deployment.key.token)) == deployment.files
