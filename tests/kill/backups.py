"""Backups that are written when the server is killed: a backup that has its final name is complete, and restores."""

import shutil
import subprocess
import threading
from pathlib import Path

from kill.ledger import Check, Killed
from support.commands import run
from support.server import check_data


class Backups(Check):
    """Runs `manybase backup` repeatedly during the other checks."""

    name = "backups"

    def __init__(self):
        self.serial = 0
        self.lock = threading.Lock()

    def prepare(self, world):
        self.data = world.data
        self.folder = world.data.parent / "backups"
        self.folder.mkdir()

    def writers(self, world):
        return [self.backup]

    def backup(self, connection, chance):
        with self.lock:
            self.serial += 1
            path = self.folder / f"b{self.serial}"
        ran = run("backup", "--to", path, data=self.data)
        if ran.returncode == 0:
            return
        # Killed with the server, or the store was just being opened or closed.
        if any(part in ran.stderr for part in ("the running server", "in use by another process")):
            raise Killed
        raise AssertionError(f"backup ended with {ran.returncode}: {ran.stderr}")

    def verify(self, world):
        problems = []
        whole = [path for path in self.folder.iterdir() if not path.name.startswith(".")]
        for path in whole:
            problems += self.look_at(path)
        for path in self.folder.iterdir():
            shutil.rmtree(path)
        return problems

    def look_at(self, path: Path) -> list[str]:
        line = ["sha256sum", "--quiet", "--check", "SHA256SUMS"]
        sums = subprocess.run(line, cwd=path, capture_output=True, text=True)
        if sums.returncode != 0:
            return [f"{path.name} is not what its sums say: {sums.stdout}{sums.stderr}"]
        data = self.folder / ".restored"
        settings = {"SERVICE_SECRET": (self.data / "secret").read_text().strip()}
        restored = run("restore", "--from", path, data=data, settings=settings)
        looked = check_data(data) if restored.returncode == 0 else restored
        shutil.rmtree(data, ignore_errors=True)
        return [] if looked.returncode == 0 else [f"{path.name} does not restore: {looked.stdout}{looked.stderr}"]
