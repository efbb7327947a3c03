"""A server of MongoDB's protocol, on a free port: SecantusDB, an implementation of other origin. MongoDB's own is in no
package registry. What it answers otherwise than MongoDB is listed in docs/engine.md."""

import atexit
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from support.installing import one_at_a_time
from support.ports import free_port
from support.waiting import wait_until

ROOT = Path(__file__).resolve().parent.parent.parent
REQUIREMENTS = ROOT / "tests" / "mongo" / "server-requirements.txt"
FOLDER = ROOT / "build" / "mongo-server"
# Whether the servers of the tests keep their data in MongoDB: MB_STORE=mongo.
IS_STORE = os.environ.get("MB_STORE") == "mongo"


def installed() -> Path:
    """Installs it in an environment of its own, where that was not done with these versions."""
    program, marker = FOLDER / "bin" / "secantusd-py", FOLDER / "installed.txt"
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
        line = [installed(), "--port", str(self.port), "--storage-path", self.folder / "mongo", "--enable-test-commands"]
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen([*line, *flags], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(
            lambda: b"listening on" in self.log_path.read_bytes(),
            30,
            lambda: f"the MongoDB-protocol server does not start:\n{self.log_path.read_text()}\n",
        )

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)

    def run(self, database: str, *commands: dict) -> None:
        """Runs commands of a database, without authentication."""
        code = (
            "import json, sys, pymongo\n"
            "client = pymongo.MongoClient(sys.argv[1])\n"
            "for command in json.loads(sys.argv[3]): client[sys.argv[2]].command(command)\n"
        )
        line = [FOLDER / "bin" / "python", "-c", code, f"mongodb://127.0.0.1:{self.port}/?directConnection=true", database]
        done = subprocess.run([*line, json.dumps(commands)], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr

    def database_of(self, data: Path) -> str:
        """Returns the address of a database for the deployment with this data directory."""
        name = hashlib.sha256(str(data).encode()).hexdigest()[:12]
        return f"mongodb://127.0.0.1:{self.port}/t{name}?replicaSet=secantus"


@functools.cache
def shared() -> MongoServer:
    """Returns a server for all tests of this process."""
    folder = Path(tempfile.mkdtemp(prefix="mongo-"))
    server = MongoServer(folder)

    def end() -> None:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    return server
