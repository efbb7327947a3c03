"""A server of MongoDB's protocol, on a free port: SecantusDB, an implementation of other origin. MongoDB's own is in no
package registry. What it answers otherwise than MongoDB is listed in docs/mongodb.md, "What is tested on what"."""

import atexit
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pymongo
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument

from support.installing import one_at_a_time
from support.ports import free_port
from support.waiting import SLOW, wait_until

ROOT = Path(__file__).resolve().parent.parent.parent
REQUIREMENTS = ROOT / "tests" / "mongo" / "server-requirements.txt"
FOLDER = ROOT / "build" / "mongo-server"
PROGRAM = ROOT / "tests" / "mongo" / "server.py"
# Whether the servers of the tests keep their data in MongoDB: MB_STORE=mongo.
IS_STORE = os.environ.get("MB_STORE") == "mongo"
# For how long the work of a server that was killed is left alone: half a minute after its last sign of life, which the
# next server counts from its start.
LEASE_SECONDS = 45


def installed() -> Path:
    """Installs it in an environment of its own, where that was not done with these versions; returns its Python."""
    program, marker = FOLDER / "bin" / "python", FOLDER / "installed.txt"
    wanted = REQUIREMENTS.read_text()
    with one_at_a_time(FOLDER):
        if program.exists() and marker.exists() and marker.read_text() == wanted:
            return program
        for line in (
            [sys.executable, "-m", "venv", "--clear", FOLDER],
            [FOLDER / "bin" / "python", "-m", "pip", "install", "-q", "-r", REQUIREMENTS],
        ):
            done = subprocess.run(line, capture_output=True, text=True, timeout=600)
            assert done.returncode == 0, done.stdout + done.stderr
        marker.write_text(wanted)
    return program


class MongoServer:
    """It runs once this exists."""

    def __init__(self, folder: Path, *flags: str):
        self.folder = folder
        self.log_path = folder / "mongo-server.log"
        self.port = free_port()
        self.url = f"mongodb://127.0.0.1:{self.port}/?replicaSet=secantus"
        self.start(*flags)

    def start(self, *flags: str) -> None:
        """Starts it on its files, after stop() with other flags."""
        line = [installed(), PROGRAM, "--port", str(self.port), "--storage-path", self.folder / "mongo", "--enable-test-commands"]
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen([*line, *flags], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            wait_until(
                lambda: b"listening on" in self.log_path.read_bytes(),
                60,
                lambda: f"the MongoDB-protocol server does not start:\n{self.log_path.read_text()}\n",
            )
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """Ends it in order, or by kill -9: after long use it was seen to wait for a lock of its own for ever."""
        self.process.terminate()
        try:
            self.process.wait(20 * SLOW)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Ends it at once, where nothing uses its files any more: to end in order takes it two seconds."""
        self.process.kill()
        self.process.wait()

    def run(self, database: str, *commands: dict) -> None:
        """Runs commands of a database, without authentication."""
        with self._connected() as client:
            for command in commands:
                client[database].command(command)

    def holding(self, text: str) -> list[str]:
        """Returns the collections that have a document with this text in it."""
        raw = CodecOptions(document_class=RawBSONDocument)
        with self._connected() as client:
            return [
                f"{name}.{collection}"
                for name in client.list_database_names()
                for collection in client[name].list_collection_names()
                if any(text.encode() in each.raw for each in client[name].get_collection(collection, raw).find())
            ]

    def _connected(self) -> pymongo.MongoClient:
        return pymongo.MongoClient(f"mongodb://127.0.0.1:{self.port}/?directConnection=true")

    def database(self, name: str) -> str:
        """Returns the address of a database."""
        return f"mongodb://127.0.0.1:{self.port}/{name}?replicaSet=secantus"

    def database_of(self, data: Path) -> str:
        """The same for the deployment with this data directory."""
        return self.database("t" + hashlib.sha256(str(data).encode()).hexdigest()[:12])

    def outbound_allow(self) -> str:
        """Its address, as SERVICE_OUTBOUND_ALLOW takes it."""
        return "127.0.0.1"


class _Shared:
    """The server of the servers' databases: it starts with the first use, and ends with the module of tests."""

    server: MongoServer | None = None


def shared() -> MongoServer:
    """Returns the server for the databases of this module's servers."""
    if _Shared.server is None:
        _Shared.server = MongoServer(Path(tempfile.mkdtemp(prefix="mongo-")))
        atexit.register(end_shared)
    return _Shared.server


def end_shared() -> None:
    """Ends the shared server, with all of its databases; the next use starts another one. One that served a whole run
    was seen to stop responding."""
    atexit.unregister(end_shared)
    if (server := _Shared.server) is None:
        return
    _Shared.server = None
    server.kill()
    shutil.rmtree(server.folder, ignore_errors=True)
