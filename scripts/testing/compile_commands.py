"""The compile commands of the release preset, and stamps by which a check passes by what it has seen already."""

import hashlib
import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from processes import BUILD, ROOT

RELEASE = BUILD / "release"
STAMPS = BUILD / "stamps"


class Unit:
    """A translation unit: a file of ours, or one that includes several of them."""

    def __init__(self, entry: dict):
        self.file = Path(entry["file"])
        self.command: str = entry["command"]
        files = [self.file]
        if "/Unity/" in str(self.file):
            files = [Path(name) for name in re.findall(r'^#include "(.+\.cc)"$', self.file.read_text(), re.MULTILINE)]
        # From the root of the repository.
        self.sources = [str(file.relative_to(ROOT)) for file in files if file.is_relative_to(ROOT)]
        found = re.search(r" -o (\S+)", self.command)
        self.object = found[1] if found else ""


def units() -> list[Unit]:
    """Those with sources in src/ or worker/."""
    every = [Unit(entry) for entry in json.loads((RELEASE / "compile_commands.json").read_text())]
    return [unit for unit in every if any(source.startswith(("src/", "worker/")) for source in unit.sources)]


def inputs() -> dict[str, list[str]]:
    """The files that each object was compiled from, by its path in RELEASE; none for one that was not compiled."""
    listed = subprocess.run(["ninja", "-C", RELEASE, "-t", "deps"], capture_output=True, text=True).stdout
    found: dict[str, list[str]] = {}
    for block in listed.split("\n\n"):
        lines = block.strip().splitlines()
        if lines:
            found[lines[0].split(":")[0]] = [line.strip() for line in lines[1:]]
    return found


class Stamp:
    """Says whether a check has passed on the same input: a text and the contents of files. Only files of the repository
    count; others change with the packages, which the compile command does not name."""

    def __init__(self, check: str, name: str):
        self._path = STAMPS / check / hashlib.sha256(name.encode()).hexdigest()

    @staticmethod
    def _digest(text: str, files: Iterable[str]) -> str | None:
        digest = hashlib.sha256(text.encode())
        for name in sorted(set(files)):
            path = RELEASE / name
            if not path.is_relative_to(ROOT):
                continue
            if not path.exists():
                return None
            digest.update(name.encode() + path.read_bytes())
        return digest.hexdigest()

    def holds(self, text: str, files: Iterable[str]) -> bool:
        return self._path.exists() and self._path.read_text() == self._digest(text, files)

    def put(self, text: str, files: Iterable[str]) -> None:
        digest = self._digest(text, files)
        if digest:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(digest)
