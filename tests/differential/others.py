"""The servers of other origins that evaluate what the engine on MongoDB sends: mongo-java-server, FerretDB 1 and the tests' own."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pymongo
from engines import ROOT, Server
from pymongo.errors import PyMongoError
from support import mongo_server
from support.installing import one_at_a_time
from support.ports import free_port
from support.waiting import wait_until

FERRETDB = Path(__file__).resolve().parent / "ferretdb"
# The tag leaves out the cgo and PostgreSQL backends. The toolchain is that of FerretDB's own go.mod or a later one.
GO = {"GOFLAGS": "-mod=readonly -buildvcs=false -tags=ferretdb_sqlite", "GOTOOLCHAIN": "go1.26.8", "CGO_ENABLED": "0"}


def built_ferretdb() -> Path:
    """Builds it below build/, where that was not done with these sources. Needs Go and its proxy."""
    folder = ROOT / "build" / "ferretdb"
    program, marker = folder / "ferretdb", folder / "built.txt"
    wanted = "".join((FERRETDB / name).read_text() for name in ("main.go", "go.mod", "go.sum"))
    with one_at_a_time(folder):
        if program.exists() and marker.exists() and marker.read_text() == wanted:
            return program
        folder.mkdir(parents=True, exist_ok=True)
        go = shutil.which("go") or sys.exit("go is missing, which builds FerretDB")
        subprocess.run(
            [go, "build", "-o", program, "."], cwd=FERRETDB, env={**os.environ, **GO}, check=True, timeout=1800
        )
        marker.write_text(wanted)
    return program


class FerretDb:
    """FerretDB 1 on SQLite; it runs once this exists."""

    def __init__(self):
        memory = Path("/dev/shm")
        self.folder = tempfile.mkdtemp(prefix="manybase-ferretdb-", dir=memory if memory.is_dir() else None)
        self.port = free_port()
        log = Path(self.folder) / "log"
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                [built_ferretdb(), str(self.port), self.folder], stdin=subprocess.PIPE, stdout=out, stderr=out
            )
        wait_until(self._responds, 60, lambda: f"FerretDB does not start:\n{log.read_text()}")

    def _responds(self) -> bool:
        assert self.process.poll() is None, "FerretDB ended"
        try:
            with pymongo.MongoClient("127.0.0.1", self.port, serverSelectionTimeoutMS=200) as client:
                return bool(client.admin.command("ping"))
        except PyMongoError:
            return False

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class TestServer:
    """The server of the tests."""

    def __init__(self):
        self.port = mongo_server.shared().port

    def close(self) -> None:
        mongo_server.end_shared()


SERVERS = {"mongo-java-server": Server, "ferretdb": FerretDb, "secantusdb": TestServer}
