"""The TypeScript SDK as its tests run it."""

import re
import subprocess
from pathlib import Path

from support.node_packages import NODE, WITH_NODE
from support.server import ROOT

SDK = ROOT / "sdk" / "typescript"
_EXPORTED = re.compile(r"^export async function (\w+)\(t\)", re.M)


def node(folder: Path, *arguments: str, timeout: float = 900, **more) -> subprocess.CompletedProcess:
    """Runs Node.js in the built package."""
    return subprocess.run(
        [NODE, *arguments], cwd=folder, env=WITH_NODE, capture_output=True, text=True, timeout=timeout, **more
    )


def scenarios(folder: str) -> list[str]:
    """The scenarios of a folder below the package's test/, as "file.function"."""
    return sorted(
        f"{file.stem}.{name}"
        for file in (SDK / "test" / folder).glob("*.mjs")
        for name in _EXPORTED.findall(file.read_text())
    )
